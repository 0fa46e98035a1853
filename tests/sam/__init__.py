"""The templates as CloudFormation would take them, for tests that ask what a deployment may do."""
