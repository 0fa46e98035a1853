"""
`open_routes.py TEMPLATE`: the functions of whose routes `sam deploy --guided` would ask whether they may be open,
one a line. Run by the Python of .venv/sam; asks no account and no network.
"""

import sys

from samcli.commands.deploy.auth_utils import auth_per_resource
from samcli.lib.providers.sam_stack_provider import SamLocalStackProvider

stacks, _ = SamLocalStackProvider.get_stacks(sys.argv[1])
print("\n".join(name for name, is_said in auth_per_resource(stacks) if not is_said))
