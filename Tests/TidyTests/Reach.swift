/// What flows reach, by a search in the hand-written sources: for calls of rpcs, for columns in
/// statements, for the names of all else. Each function returns the names of one kind that nothing
/// uses outside of their declarations.
struct Reach {
    private let checkout: Checkout
    private let paths: [String]
    private let index: IdentifierIndex

    init(_ checkout: Checkout) throws {
        self.checkout = checkout
        paths = checkout.written(below: "Sources/", suffix: ".swift")
        index = IdentifierIndex(try paths.map { try SwiftSource($0, in: checkout) })
    }

    /// Packages whose callers are outside of this project.
    private static let publicPackages: Set<String> = ["gateway", "health", "reflection"]
    /// Where the methods of the other packages are implemented; not in this table: in Hosting.
    private static let modules = [
        "identity": "IdentityService", "session": "SessionService",
        "ratelimit": "RateLimitService", "notification": "NotificationService",
    ]

    /// Methods without a server, or of an inner package and called by no other module.
    func methods() throws -> [String] {
        let calls = try RPCCalls(
            in: paths.map { try SwiftSource($0, in: checkout) }, index, of: checkout)
        return calls.methods.filter { method in
            guard isNamed("\(method.service)Dispatcher") else { return true }
            let part = method.package.split(separator: ".").dropFirst().first.map(String.init) ?? ""
            let own = Self.modules[part, default: "Hosting"]
            return !Self.publicPackages.contains(part)
                && calls.callers(of: method).isSubset(of: [own])
        }.map(\.fullName)
    }

    /// Error codes that no code throws or maps to.
    func errorCodes() throws -> [String] {
        try cases(in: "Sources/ServiceRuntime/Errors/ErrorCatalogue.swift")
            .filter { !isNamed($0.name, outside: ["ServiceRuntime/Errors/"]) }.map(\.value)
    }

    /// Limits that no flow charges.
    func limits() throws -> [String] {
        try cases(in: "Sources/Contracts/Limits/LimitName.swift").filter {
            !isNamed($0.name, outside: ["Contracts/", "RateLimitService/LimitDefinition"])
        }.map(\.value)
    }

    /// Kinds of audit events that no flow writes.
    func auditKinds() throws -> [String] {
        try cases(in: "Sources/Storage/Audit/AuditKind.swift")
            .filter { !isNamed($0.name, outside: ["Storage/Audit/AuditKind"]) }.map(\.value)
    }

    /// Mails that identity never makes.
    func mails() throws -> [String] {
        try cases(in: "Sources/Contracts/Templates/MailTemplate.swift").filter { mail in
            let places = index.places(of: mail.name).filter {
                $0.isMember && Self.module(of: $0.path) == "IdentityService"
            }
            let isDescribed = places.contains { $0.path.hasSuffix("/Outbox/IdentityMail.swift") }
            return try !isDescribed
                || !places.contains { place in
                    let line = try SwiftSource(place.path, in: checkout).code[place.line]
                    // Where values are taken out of a mail, none is made. One without values is made
                    // by its whole name.
                    return line.contains("IdentityMail.\(mail.name)")
                        || place.isCalled && !line.contains(".\(mail.name)(let ")
                }
        }.map(\.value)
    }

    /// SMS and push messages that no service sends, each with its channel before its name.
    func shortMessages() throws -> [String] {
        try ["SMS", "Push"].flatMap { channel in
            let template = "\(channel)Template"
            let users = Set(index.places(of: template).map(\.path)).filter {
                !["Contracts", "NotificationService"].contains(Self.module(of: $0))
            }
            return try cases(in: "Sources/Contracts/Templates/\(template).swift")
                .filter { users.isDisjoint(with: members($0.name)) }
                .map { "\(channel.lowercased()) \($0.value)" }
        }
    }

    /// Tables and columns that no statement writes, or that nothing reads.
    func columns() throws -> [String] {
        let shared = ["Sources/Storage/", "Sources/Hosting/"]
        let found = try checkout.written(below: "Sources/", suffix: "/schema.sql").flatMap { path in
            let folders = shared + [String(path.dropLast("schema.sql".count))]
            let tables = SchemaTable.all(in: try checkout.text(of: path))
            let sources = try paths.filter { path in folders.contains { path.hasPrefix($0) } }
                .map { try SwiftSource($0, in: checkout) }
            let words = SQLWords(of: sources, tables: Set(tables.map(\.name)))
            return tables.flatMap { table in
                table.columns.filter {
                    !words.writes($0, of: table.name)
                        || !(words.reads($0, of: table.name) || table.keyColumns.contains($0))
                }.map { "\(table.name).\($0)" }
            }
        }
        return Set(found).sorted()
    }

    /// Settings that are declared and checked, and then not read.
    func settings() throws -> [String] {
        var found: [String] = []
        for path in paths {
            let source = try SwiftSource(path, in: checkout)
            let readers = readers(in: source)
            for line in source.lineIndices(containing: " = settings.") {
                let words = source.code[line].trimmed.split(separator: " ")
                // For a local variable the compiler warns.
                guard words.count > 1, words[1] == "=", !words[0].contains("[") else { continue }
                let name = String(words[0])
                if !isRead(name, in: source, readers) { found.append("\(path): \(name)") }
            }
        }
        return found
    }

    /// Whether a setting is used outside of its declaration and of the initialiser that sets it.
    private func isRead(_ setting: String, in source: SwiftSource, _ readers: Set<Int>) -> Bool {
        index.places(of: setting).contains { place in
            guard place.path == source.path else { return true }
            return !readers.contains(place.line)
                && !source.code[place.line].contains(" \(setting): ")
        }
    }

    /// The lines of the initialisers that read settings.
    private func readers(in source: SwiftSource) -> Set<Int> {
        source.lineIndices(containing: "init(reading ").reduce(into: []) { lines, start in
            let end = source.code[start...].firstIndex { $0 == "    }" } ?? start
            lines.formUnion(start...end)
        }
    }

    /// The cases of an enum with raw values that are written out or are the cases' names.
    private func cases(in path: String) throws -> [(name: String, value: String)] {
        try checkout.text(of: path).matches(of: /\n    case (\w+)(?: = "([^"]+)")?(?=\n)/)
            .map { (String($0.1), String($0.2 ?? $0.1)) }
    }

    private func isNamed(_ name: String) -> Bool { !index.places(of: name).isEmpty }

    /// Whether a member of this name is used outside of some files.
    private func isNamed(_ name: String, outside files: [String]) -> Bool {
        members(name).contains { path in !files.contains { path.hasPrefix("Sources/" + $0) } }
    }

    private func members(_ name: String) -> [String] {
        index.places(of: name).filter(\.isMember).map(\.path)
    }

    private static func module(of path: String) -> String { ModuleGraph.module(of: path) ?? "" }
}
