"""Who reads MCP tools, in which version."""

import platform
import sys
from typing import NamedTuple

NODE = f"node-{sys.platform}-{'arm64' if platform.machine() in {'arm64', 'aarch64'} else 'x64'}"


class Framework(NamedTuple):
    """One that reads tools; its probe has its name."""

    title: str
    requirements: str
    options: dict[str, object] = {}  # noqa: RUF012 - nobody changes it.
    probe: str = ""
    withholds: str = ""
    """Why its model is told nothing, if that is how it is made."""


# fmt: off
AGENTS = {
    "langchain":       Framework("LangChain", "langchain-mcp-adapters==0.3.2 langchain==1.4.7 langchain-core==1.7.2"),
    "openai_agents":   Framework("OpenAI Agents", "openai-agents==0.24.0"),
    "pydantic_ai":     Framework("Pydantic AI", "pydantic-ai-slim[mcp]==2.66.0"),
    "llama_index":     Framework("LlamaIndex", "llama-index-tools-mcp==0.6.0 llama-index-core==0.14.25"),
    "strands":         Framework("Strands Agents", "strands-agents==1.62.0"),
    "google_adk":      Framework("Google ADK", "google-adk[mcp]==2.13.0"),
    "vercel_ai":       Framework("Vercel AI SDK", f"ai@7.0.169 @ai-sdk/mcp@2.0.93 {NODE}@22.23.3"),
    "mastra":          Framework("Mastra", f"@mastra/mcp@2.0.0 @mastra/core@1.71.0 {NODE}@22.23.3"),
    "openai_agents_js": Framework("OpenAI Agents JS", "@openai/agents@0.20.0"),
    "langchain_js":    Framework("LangChain JS",
        "@langchain/mcp-adapters@1.1.4 langchain@1.5.14 @langchain/core@1.2.13"),
    "smolagents":      Framework("smolagents", "smolagents[mcp]==1.26.0 mcp[ws]==1.30.0"),
    "agno":            Framework("Agno", "agno==3.1.10 fastmcp==4.1.2"),
    "autogen":         Framework("AutoGen", "autogen-ext[mcp]==0.7.5 autogen-agentchat==0.7.5 mcp==1.30.0"),
    "semantic_kernel": Framework("Semantic Kernel", "semantic-kernel[mcp]==1.45.0"),
    "haystack":        Framework("Haystack", "mcp-haystack==2.1.1"),
    "dspy":            Framework("DSPy", "dspy[mcp]==3.4.1"),
    "crewai":          Framework("CrewAI", "crewai==1.15.30 mcp==1.30.0"),
    "agent_framework": Framework("Agent Framework", "agent-framework-core==1.23.0 mcp==2.3.0 tenacity==9.2.1",
        withholds="it tells its model only that a function failed, unless `include_detailed_errors` is set"),
    "agent_framework_detailed": Framework("Agent Framework with `include_detailed_errors`",
        "agent-framework-core==1.23.0 mcp==2.3.0 tenacity==9.2.1",
        options={"include_detailed_errors": True}, probe="agent_framework"),
}

# These have no model. What they give to the program, or the person, that uses them is what it could show to one.
CLIENTS = {
    "mcp_2":        Framework("Python SDK 2", "mcp==2.3.0"),
    "mcp_1":        Framework("Python SDK 1", "mcp==1.30.0"),
    "fastmcp":      Framework("FastMCP client", "fastmcp==4.1.2"),
    "typescript_2": Framework("TypeScript SDK 2", "@modelcontextprotocol/client@2.4.0"),
    "typescript_1": Framework("TypeScript SDK 1", "@modelcontextprotocol/sdk@1.32.2"),
    "inspector":    Framework("Inspector CLI", "@modelcontextprotocol/inspector@0.15.0"),
}
# fmt: on

FRAMEWORKS = AGENTS | CLIENTS
