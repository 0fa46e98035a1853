"""Which files a selection by path holds, and which are no documents at all."""

from magpie.model import Selection


def selects(selection: Selection, path: str) -> bool:
    """Whether a selection by path (`file`, `folder`, `files`; none of them: all) holds this one."""
    if selection.file is not None:
        return path == selection.file
    if selection.folder is not None:
        return path.startswith(selection.folder)
    return selection.files is None or path in selection.files


def is_hidden(path: str) -> bool:
    """Whether a file or one of its folders has a name that begins with a dot."""
    return any(part.startswith(".") for part in path.split("/"))
