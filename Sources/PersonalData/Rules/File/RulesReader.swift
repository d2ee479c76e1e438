import JSON
import ServiceRuntime

/// Reads rules from the values of a file, and collects mistakes instead of ending at the first.
struct RulesReader {
    private var found: [(line: Int, text: String)] = []

    /// The mistakes, each with its place, in the order of the lines.
    var mistakes: [String] {
        found.enumerated().sorted {
            ($0.element.line, $0.offset) < ($1.element.line, $1.offset)
        }.map(\.element.text)
    }

    /// The rules of a file; not to be used if there are mistakes.
    mutating func rules(_ root: FileNode) -> DocumentRules {
        // A file that is empty for a moment, while it is written, must not lift the rules.
        guard let members = members(of: root, among: ["collections", "onboarding"]),
            !members.isEmpty
        else {
            mistake("neither collections nor onboarding is declared", at: root.place)
            return .standard
        }
        let nodes = entries(
            of: members["collections"], atMost: RulesDocument.Limits.collectionsMax,
            "collections")
        let collections = nodes.compactMap { collection($0) }
        let rules = DocumentRules(collections: collections, onboarding: nil)
        guard let node = members["onboarding"] else { return rules }
        return DocumentRules(
            collections: collections,
            onboarding: onboarding(node, DeclaredFields(rules: rules, nodes: nodes)))
    }

    private mutating func collection(_ entry: FileNode.Entry) -> CollectionRules? {
        let node = entry.node
        guard DocumentKey.isCollection(entry.name) else {
            mistake("a collection's name is 1 to 64 of a-z, 0-9, \"-\" and \"_\"", at: node.place)
            return nil
        }
        guard entry.name != DocumentRules.onboardingName else {
            mistake("this collection holds the drafts of onboarding.sections", at: node.place)
            return nil
        }
        let names = ["needs", "fields", "other-fields"]
        guard let members = members(of: node, among: names) else { return nil }
        let fields = entries(
            of: members["fields"], atMost: RulesDocument.Limits.fieldsMax, "fields"
        ).compactMap { field($0, of: .document(collection: entry.name)) }
        if let second = fields.filter(\.isDisplayName).dropFirst().first {
            mistake("\(second.name) is the second field with display-name", at: node.place)
        }
        return CollectionRules(
            name: entry.name, need: need(members["needs"]), fields: fields,
            allowsOtherFields: allowsOtherFields(members["other-fields"], beside: fields))
    }

    private mutating func need(_ node: FileNode?) -> AccountNeed {
        guard let node else { return .nothing }
        return choice(node, of: [.account, .verified, .consent]) ?? .nothing
    }

    /// Whether other fields may be there: where none is declared, or where the file says so.
    mutating func allowsOtherFields(_ node: FileNode?, beside fields: [FieldRule]) -> Bool {
        enum Answer: String { case allow, refuse }
        guard let node else { return fields.isEmpty }
        let answer: Answer? = choice(node, of: [.allow, .refuse])
        return answer == .allow
    }

    // MARK: Values

    /// Adds a mistake, once: a rule that several fields take over is read several times.
    mutating func mistake(_ sentence: String, at place: FilePlace) {
        let text = "\(place): \(sentence)"
        if !found.contains(where: { $0.text == text }) { found.append((place.line ?? 0, text)) }
    }

    /// The members of a mapping. Nil for another value; members with other names are mistakes.
    mutating func members(of node: FileNode, among names: [String]) -> [String: FileNode]? {
        guard case .mapping(let entries) = node.value else {
            mistake("it must have members: \(names.joined(separator: ", "))", at: node.place)
            return nil
        }
        var members: [String: FileNode] = [:]
        for entry in entries {
            if names.contains(entry.name) {
                members[entry.name] = entry.node
            } else {
                mistake(
                    "\"\(entry.name)\" is unknown here; known: \(names.joined(separator: ", "))",
                    at: entry.node.place)
            }
        }
        return members
    }

    /// The entries of a mapping whose names the operator chooses; none where it is absent.
    mutating func entries(
        of node: FileNode?, atMost countMax: Int, _ what: String
    ) -> [FileNode.Entry] {
        guard let node else { return [] }
        guard case .mapping(let entries) = node.value else {
            mistake("it must be \(what), each a name with its rules", at: node.place)
            return []
        }
        if entries.count > countMax { mistake("more than \(countMax) \(what)", at: node.place) }
        return entries
    }

    /// The nodes of a list.
    mutating func list(_ node: FileNode, count: ClosedRange<Int>, _ what: String) -> [FileNode] {
        guard case .list(let nodes) = node.value, count.contains(nodes.count) else {
            let number = count.lowerBound == count.upperBound ? "\(count.lowerBound)" : nil
            mistake(
                "it must be a list of \(number ?? "\(count.lowerBound) to \(count.upperBound)") "
                    + what, at: node.place)
            return []
        }
        return nodes
    }

    /// `true` or `false`; false where it is absent.
    mutating func boolean(_ node: FileNode?) -> Bool {
        guard let node else { return false }
        guard case .boolean(let claim) = node.json else {
            mistake("it must be true or false", at: node.place)
            return false
        }
        return claim
    }

    /// One of several words.
    mutating func choice<Choice: RawRepresentable<String>>(
        _ node: FileNode, of choices: [Choice]
    ) -> Choice? {
        if let choice = choices.first(where: { node.json == .string($0.rawValue) }) {
            return choice
        }
        let words = choices.map(\.rawValue).joined(separator: ", ")
        mistake("it must be one of \(words)", at: node.place)
        return nil
    }

    /// Whether a text can name a field, a section or a screen. No dots: a target is
    /// `collection.field`.
    static func isName(_ text: String) -> Bool {
        text.isName(1...RulesDocument.Limits.nameBytesMax, [.letter, .digit], marks: "-_")
    }
}
