"""
What uvicorn is told to start: the application, imported without the garbage collector, which
would walk through two thousand new modules again and again and find nothing. It saves an eighth.
"""

import gc

gc.disable()


def create() -> object:
    """Raises: SettingsInvalid, which ends the cold start."""
    from functions.chat import on_lambda

    application = on_lambda.create()
    gc.freeze()  # what was imported lives as long as the process: no collection looks at it
    gc.enable()
    return application
