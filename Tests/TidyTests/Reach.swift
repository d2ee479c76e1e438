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
    /// The services that have the methods of the other packages; not in this table: Hosting.
    private static let services = [
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
            let own = Self.services[part, default: "Hosting"]
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
        try paths.filter { $0.hasPrefix("Sources/Contracts/Limits/") }
            .flatMap { try checkout.text(of: $0).matches(of: /static let (\w+) = LimitName\(/) }
            .map { String($0.1) }.filter { !isNamed($0, outside: ["Contracts/"]) }
    }

    /// Kinds of audit events that no flow writes.
    func auditKinds() throws -> [String] {
        try cases(in: "Sources/Storage/Audit/AuditKind.swift")
            .filter { !isNamed($0.name, outside: ["Storage/Audit/AuditKind"]) }.map(\.value)
    }

    /// Mails that no flow sends. Identity names one where it makes a `Mail` or writes a notice, and
    /// session one of its notices as a kind of the wire.
    func mails() throws -> [String] {
        var made: Set<String> = []
        for path in paths where Self.service(of: path) == "IdentityService" {
            let source = try SwiftSource(path, in: checkout)
            for line in source.lineIndices(containing: "Mail(", "write(", "notifyOwner(") {
                // The name may begin the next line.
                let call = source.code[line...].prefix(2).joined(separator: "\n")
                made.formUnion(
                    call.matches(of: /[ .(](?:Mail|write|notifyOwner)\(\s*\.(\w+)/)
                        .map { String($0.1) })
            }
        }
        let tellers = Set(index.places(of: "NoticeKind").map(\.path))
            .filter { Self.service(of: $0) == "SessionService" }
        return try cases(in: Self.mailTemplates).filter {
            !made.contains($0.name) && tellers.isDisjoint(with: members($0.name))
        }.map(\.value)
    }

    private static let mailTemplates = "Sources/Contracts/Templates/MailTemplate.swift"

    /// SMS and push messages that no service sends, each with its channel before its name. Those of
    /// a notice are in the row of its mail.
    func shortMessages() throws -> [String] {
        try [("SMS", "text"), ("Push", "push")].flatMap { channel, label in
            let template = "\(channel)Template"
            let noticed = try namedByMails(as: label)
            let users = Set(index.places(of: template).map(\.path)).filter {
                !["Contracts", "NotificationService"].contains(Self.service(of: $0))
            }
            return try cases(in: "Sources/Contracts/Templates/\(template).swift")
                .filter { users.isDisjoint(with: members($0.name)) && !noticed.contains($0.name) }
                .map { "\(channel.lowercased()) \($0.value)" }
        }
    }

    /// The short messages in the rows of mails that flows send, by the label before them:
    /// `push: .newDevice`.
    private func namedByMails(as label: String) throws -> Set<String> {
        let path = Self.mailTemplates
        let idle = Set(try mails())
        let sent = Set(try cases(in: path).filter { !idle.contains($0.value) }.map(\.name))
        let rows = try checkout.text(of: path).split(separator: "case .").dropFirst()
            .filter { row in sent.contains(String(row.prefix { $0.isLetter || $0.isNumber })) }
        return Set(
            rows.flatMap { row in
                row.matches(of: /(push|text): \.(\w+)/).filter { $0.1 == label }
                    .map { String($0.2) }
            })
    }

    /// Tables and columns that no statement writes, or that nothing reads.
    func columns() throws -> [String] {
        let shared = ["Sources/Storage/", "Sources/Hosting/"]
        let found = try checkout.written(below: "Sources/", suffix: "/schema.sql").flatMap { path in
            let folders = shared + ModuleGraph.folders(of: Self.service(of: path))
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
            let lines = readers.sorted().map { source.code[$0].trimmed }
            let variables = lines.filter { $0.hasPrefix("var ") }
                .map { $0.dropFirst("var ".count).prefix { $0.isLetter || $0.isNumber } }
            let locals = Set(variables)
            for name in lines.flatMap(Self.settings(readIn:))
            where !locals.contains(name) && !isRead(String(name), in: source, readers) {
                found.append("\(path): \(name)")
            }
        }
        return found
    }

    /// The places that a line reads settings into: `age` for `settings.integer("age", &age`, and
    /// for `age = settings.optionalString(`. For a constant of the function the compiler warns.
    private static func settings(readIn line: Substring) -> [Substring] {
        let words = line.split(separator: " ")
        let assigned =
            line.contains(" = settings.") && words.count > 1 && words[1] == "="
            ? words.prefix(1) : []
        let lent = line.matches(of: /&(\w[\w.]*)/).compactMap { $0.1.split(separator: ".").last }
        return assigned.filter { !$0.contains("[") } + lent.filter { $0 != "settings" }
    }

    /// Whether a setting is used outside of its declaration and of the functions that read it.
    private func isRead(_ setting: String, in source: SwiftSource, _ readers: Set<Int>) -> Bool {
        index.places(of: setting).contains { place in
            guard place.path == source.path else { return true }
            let code = source.code[place.line]
            return !readers.contains(place.line) && !code.contains(" \(setting): ")
                && !code.contains(" var \(setting) = ")
        }
    }

    /// The lines of the functions that read settings.
    private func readers(in source: SwiftSource) -> Set<Int> {
        source.lineIndices(containing: "inout SettingsReader").reduce(into: []) { lines, start in
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

    private static func service(of path: String) -> String { ModuleGraph.service(of: path) ?? "" }
}
