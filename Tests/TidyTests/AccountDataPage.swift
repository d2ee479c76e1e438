/// The table of `Sources/ACCOUNT_DATA.md`.
struct AccountDataPage {
    /// One row of the table.
    struct Row: Hashable {
        let service: String
        /// The name of a table or a file.
        let name: String
        let content: String
        let export: String
        let deletion: String
        /// Counted from 1.
        let line: Int

        /// Whether all cells say something, and the export a file or why there is none.
        var isComplete: Bool {
            !content.isEmpty && !deletion.isEmpty
                && (export.hasPrefix("no: ") || export.contains(".json`"))
        }
    }

    static let path = "Sources/ACCOUNT_DATA.md"
    /// The services with a store, as the page names them, and their folders.
    static let services = [
        "identity": "Sources/IdentityService", "session": "Sources/SessionService",
        "notification": "Sources/NotificationService", "rate-limit": "Sources/RateLimitService",
    ]
    /// Where each of them collects and deletes what it has of an account.
    static let accountData = services.mapValues { "\($0)/AccountData" }
        .merging(["identity": "Sources/AccountLife/AccountData"]) { $1 }
    /// What is no table of a store and no file that `Sources/README.md` lists.
    private static let others = ["notification": ["inbox/"]]

    let rows: [Row]

    init(_ checkout: Checkout) throws { self.init(text: try checkout.text(of: Self.path)) }

    init(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let start = lines.firstIndex { $0.hasPrefix("| service | table or file |") }
        guard let start else {
            rows = []
            return
        }
        rows = lines.enumerated().dropFirst(start + 2).prefix { $0.element.hasPrefix("|") }
            .compactMap { index, line in
                let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                    .dropFirst().dropLast().map { String($0.trimmed) }
                guard cells.count == 5 else { return nil }
                return Row(
                    service: cells[0], name: cells[1].filter { $0 != "`" }, content: cells[2],
                    export: cells[3], deletion: cells[4], line: index + 1)
            }
    }

    /// The files in each service's data folder, as the table of programs in `Sources/README.md`
    /// lists them.
    func dataFiles(in checkout: Checkout) throws -> [String: Set<String>] {
        let page = try checkout.text(of: "Sources/README.md")
        return Dictionary(
            uniqueKeysWithValues: Self.services.keys.map { service in
                let row = page.split(separator: "\n").first {
                    $0.hasPrefix("| `postern-\(service)` | `")
                }
                let named = (row ?? "").split(separator: "|").dropFirst().joined()
                    .matches(of: /`([^`]+)`/).map { String($0.1) }
                return (service, Set(named + Self.others[service, default: []]))
            })
    }

    /// The files of an export that the page names for a service.
    func exports(of service: String) -> Set<String> {
        Set(
            rows.filter { $0.service == service }
                .flatMap { $0.export.matches(of: /`([a-z-]+\.json)`/).map { String($0.1) } })
    }

    /// What the page lacks, and what it has too much.
    /// - Parameters:
    ///   - schemas: the tables of each service.
    ///   - files: the files of each service.
    func findings(schemas: [String: Set<String>], files: [String: Set<String>]) -> [Finding] {
        var found: [Finding] = []
        let common = Set(rows.filter { $0.service == "every" }.map(\.name))
        for (service, tables) in schemas {
            let there = tables.union(files[service, default: []])
            let own = rows.filter { $0.service == service }
            let named = common.union(own.map(\.name))
            found += there.subtracting(named).map {
                Finding(path: Self.path, line: 1, complaint: "\(service): \($0) has no row")
            }
            found += own.filter { !there.contains($0.name) }.map {
                Finding(
                    path: Self.path, line: $0.line, complaint: "\(service): \($0.name) is no table")
            }
            found += common.subtracting(tables).map {
                Finding(path: Self.path, line: 1, complaint: "\(service): \($0) is no table")
            }
        }
        found += rows.filter { !$0.isComplete }.map {
            Finding(
                path: Self.path, line: $0.line,
                complaint: "\($0.service): \($0.name) has an empty or vague cell")
        }
        return found
    }
}
