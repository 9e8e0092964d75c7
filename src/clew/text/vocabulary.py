"""Words that tell files and names from what only looks like them."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


def in_order(text: str) -> tuple[str, ...]:
    """The same where the order counts."""
    return tuple(text.split())


#: Extensions of files that people work on.
EXTENSIONS = words(
    "astro avif bash bat bazel bib bicep bmp bzl c cc cfg cjs clj cljs cmake cmd cnf conf cpp cs csproj css csv cts"
    " cu cxx dart db dbml diff dockerfile docx edn eex ejs el elm env erl ex exs f90 fish fs fsx gif go gql gradle"
    " graphql groovy gz h haml hbs hcl heex hpp hrl hs htm html hxx ico ini ipynb j2 java jar jinja jl jpeg jpg js json"
    " json5 jsonc jsonl jsx kt kts less lhs liquid lock log lua md mdc mdx mjs mk ml mli mod mp3 mp4 mts nim nix odt"
    " org otf parquet pas patch pdf php pl plist pm png po pot prisma properties proto ps1 psd1 psm1 pug py pyc pyi"
    " pyx rake rb rego rkt rmd rs rst sass sbt scala scm scss sh sln snap so sol sql sqlite styl sum svelte svg swift"
    " tar tcl tex tf tfvars tgz toml tpl ts tsv tsx ttf txt v vb vim vue wasm webp woff woff2 xlsx xml xsd yaml yml"
    " zig zip zsh zst"
)
#: Files without an extension, and dot files, that are known by name.
WELL_KNOWN = words(
    "Makefile Dockerfile Containerfile Jenkinsfile Gemfile Rakefile Procfile Vagrantfile Brewfile Justfile justfile"
    " Caddyfile Tiltfile Earthfile BUILD WORKSPACE CODEOWNERS Podfile Fastfile GNUmakefile .gitignore .gitattributes"
    " .gitmodules .env .envrc .npmrc .nvmrc .editorconfig .dockerignore .eslintrc .prettierrc .babelrc .bashrc .zshrc"
    " .profile .prettierignore .eslintignore .npmignore .tool-versions .python-version .node-version"
)
#: Written like a file, and not one.
PRODUCTS = words(
    "node.js next.js vue.js nuxt.js react.js three.js d3.js express.js angular.js ember.js backbone.js socket.io"
    " process.env import.meta.env chart.js moment.js p5.js discord.js alpine.js solid.js deno.land"
)
#: Words of tools' own schemas, of formats, and of every program: they tell one piece of work from no other.
NOISE = words(
    "in_progress files_with_matches replace_all old_string new_string old_str new_str file_path output_mode head_limit"
    " subagent_type activeForm run_in_background task_id file_text view_range tool_use tool_result tool_use_id"
    " tool_call tool_calls call_id max_output_tokens yield_time_ms session_id notebook_path cell_id edit_mode"
    " multi_select multiSelect allowed_domains blocked_domains taskId shell_id shellId bash_id timeout_ms"
    " justification sandbox_permissions require_escalated with_escalated_permissions prefix_rule tool_uses"
    " filePath oldString newString startLine endLine start_line end_line explanation isBackground is_background"
    " text_editor system_reminder request_id stop_reason input_tokens output_tokens cache_read_input_tokens"
    " cache_creation_input_tokens content_type mime_type user_id created_at updated_at node_modules site_packages"
    " __init__ __main__ __name__ __pycache__ __file__ __future__ snake_case camelCase PascalCase JavaScript TypeScript"
    " GitHub GitLab README macOS iOS VSCode utf_8 self.name e.g i.e stdout.write console.log console.error"
)
