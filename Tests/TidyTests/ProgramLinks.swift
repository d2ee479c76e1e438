/// What each program links, as `Package.swift` says: our modules, packages, and libraries of the
/// system.
///
/// The manifest is read as text. Known are its functions `module`, `program` and `library`,
/// products and lists that have a name there, and C targets.
struct ProgramLinks {
    /// The page that has the table.
    static let page = "Sources/README.md"
    /// The first line of the table.
    static let header = "| program | our modules | packages | system libraries |"

    /// A program and what it links, in the columns of the table.
    private struct Row {
        let name: String
        let columns: [Set<String>]

        var line: String {
            let cells = columns.map { $0.sorted().joined(separator: ", ") }
            return "| \(([name] + cells).joined(separator: " | ")) |"
        }
    }

    /// The lines of the table: first what all programs link, then what each links besides.
    let table: [String]
    /// Names in lists of dependencies that are declared nowhere, sorted.
    let unknown: [String]

    /// Reads the text of `Package.swift`.
    init(manifest: String) {
        let products = manifest.matches(
            of: /let (\w+) = Target\.Dependency\.product\(\s*name: "\w+", package: "([\w-]+)"/)
        let behindModuleMaps = manifest.matches(of: /library\("(\w+)", pkgConfig: "([\w.-]+)"/)
        let besideC = manifest.matches(
            of: /name: "(\w+)", linkerSettings: \[\.linkedLibrary\("([\w.-]+)"/)
        let uses = manifest.matches(
            of: /\b(?:module|program)\(\s*"([\w-]+)",\s*((?:\w+ \+ )?\[[^\]]*)\]/)
        let lists = manifest.matches(of: /let (\w+): \[Target\.Dependency\] = \[([^\]]*)\]/)
        let packages = Self.pairs(products.map(\.output))
        let libraries = Self.pairs(behindModuleMaps.map(\.output) + besideC.map(\.output))
        let modules = Self.pairs(uses.map(\.output)).mapValues { Self.names(in: $0) }
        // A list that has a name counts as a module that no column shows.
        let graph = Self.pairs(lists.map(\.output)).mapValues { Self.names(in: $0) }
            .merging(modules) { _, module in module }
        let programs = manifest.matches(of: /\bprogram\(\s*"([\w-]+)"/)
            .map { String($0.1) }.sorted()

        let rows = programs.map { program in
            let linked = Self.reached(from: program, in: graph)
            return Row(
                name: "`\(program)`",
                columns: [
                    linked.filter { modules[$0] != nil }, Set(linked.compactMap { packages[$0] }),
                    Set(linked.compactMap { libraries[$0] }),
                ])
        }
        let each = rows.dropFirst().reduce(rows.first?.columns ?? []) { common, row in
            zip(common, row.columns).map { $0.intersection($1) }
        }
        let others = rows.map { row in
            Row(name: row.name, columns: zip(row.columns, each).map { $0.subtracting($1) })
        }
        table =
            [Self.header, "|---|---|---|---|"]
            + ([Row(name: "each", columns: each)] + others).map(\.line)
        let targets = manifest.matches(of: /\.target\(\s*name: "(\w+)"/).map { String($0.1) }
        unknown = Set(graph.values.joined())
            .subtracting(graph.keys).subtracting(packages.keys).subtracting(libraries.keys)
            .subtracting(targets).sorted()
    }

    /// The table that a page has; empty if it has none.
    static func table(in page: String) -> [String] {
        page.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != header }.prefix { $0.hasPrefix("|") }.map(String.init)
    }

    private static func pairs(_ matches: [(Substring, Substring, Substring)]) -> [String: String] {
        Dictionary(
            matches.map { (String($0.1), String($0.2)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The names in a list of dependencies, with or without quotes, and the name before its `+`.
    private static func names(in list: String) -> [String] {
        list.split { ",+[".contains($0) }
            .map { name in name.filter { !$0.isWhitespace && $0 != "\"" } }
            .filter { !$0.isEmpty }
    }

    /// All that a module depends on, also through others.
    private static func reached(
        from module: String, in graph: [String: [String]]
    ) -> Set<String> {
        var reached: Set<String> = []
        var waiting = graph[module] ?? []
        while let next = waiting.popLast() {
            if reached.insert(next).inserted { waiting += graph[next] ?? [] }
        }
        return reached
    }
}
