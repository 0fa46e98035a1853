"""From this tree to a deployment: packages that Lambda takes, and the call that brings them there."""
