import JSON
import ServiceRuntime

extension RulesReader {
    /// The fields of collections, which fields of screens are written to and take rules from.
    struct DeclaredFields {
        let rules: DocumentRules
        /// The collections as they are in the file.
        let nodes: [FileNode.Entry]

        /// A field's rule as it is in the file. Nil where none is declared.
        fileprivate func node(_ target: OnboardingFieldRule.Target) -> FileNode? {
            nodes.first { $0.name == target.collection }?.node["fields"]?[target.field]
        }
    }

    /// The sections of onboarding.
    mutating func onboarding(_ node: FileNode, _ declared: DeclaredFields) -> OnboardingRules? {
        guard let members = members(of: node, among: ["sections"]) else { return nil }
        guard let node = members["sections"] else {
            mistake("sections are missing", at: node.place)
            return nil
        }
        let nodes = list(node, count: 1...RulesDocument.Limits.sectionsMax, "sections")
        let sections = nodes.compactMap { section($0, declared) }
        reportRepeated(zip(sections.map(\.name), nodes.map(\.place)), "section")
        var targets: Set<OnboardingFieldRule.Target> = []
        for target in sections.flatMap(\.fields).compactMap(\.target)
        where !targets.insert(target).inserted {
            mistake(
                "two fields are written to \(target.collection).\(target.field)", at: node.place)
        }
        return OnboardingRules(sections: sections)
    }

    private mutating func section(
        _ node: FileNode, _ declared: DeclaredFields
    ) -> OnboardingSectionRules? {
        guard let members = members(of: node, among: ["name", "screens"]) else { return nil }
        let name = name(members["name"], of: "section", at: node.place)
        guard let list = members["screens"] else {
            mistake("screens are missing", at: node.place)
            return nil
        }
        let nodes = self.list(list, count: 1...RulesDocument.Limits.screensMax, "screens")
        let screens = nodes.compactMap { screen($0, declared) }
        reportRepeated(zip(screens.map(\.name), nodes.map(\.place)), "screen")
        let section = OnboardingSectionRules(name: name, screens: screens)
        // One draft holds the fields of all its screens.
        reportRepeated(section.fields.map { ($0.rule.name, node.place) }, "field of this section")
        return section
    }

    private mutating func screen(
        _ node: FileNode, _ declared: DeclaredFields
    ) -> OnboardingScreenRules? {
        guard let members = members(of: node, among: ["name", "fields"]) else { return nil }
        let fields = entries(
            of: members["fields"], atMost: RulesDocument.Limits.fieldsMax, "fields")
        return OnboardingScreenRules(
            name: name(members["name"], of: "screen", at: node.place),
            fields: fields.compactMap { screenField($0, declared) })
    }

    private mutating func name(_ node: FileNode?, of what: String, at place: FilePlace) -> String {
        guard let name = node?.json.string, Self.isName(name) else {
            mistake(
                "the \(what) needs a name of 1 to 64 letters, digits, \"-\" and \"_\"",
                at: node?.place ?? place)
            return ""
        }
        return name
    }

    private mutating func reportRepeated(
        _ names: some Sequence<(String, FilePlace)>, _ what: String
    ) {
        var known: Set<String> = []
        for (name, place) in names where !known.insert(name).inserted && !name.isEmpty {
            mistake("\"\(name)\" is the name of another \(what)", at: place)
        }
    }

    // MARK: Fields

    /// A field of a screen. It takes over what the field says that it is written to, apart from
    /// what it says itself.
    private mutating func screenField(
        _ entry: FileNode.Entry, _ declared: DeclaredFields
    ) -> OnboardingFieldRule? {
        let target = entry.node["to"].flatMap { self.target($0, declared.rules) }
        guard let target, let node = declared.node(target) else {
            return field(entry, of: .screen).map { OnboardingFieldRule(rule: $0, target: target) }
        }
        let merged = FileNode.Entry(name: entry.name, node: entry.node.takingOver(node))
        guard let rule = field(merged, of: .screen) else { return nil }
        let declared = declared.rules.collection(target.collection)?.fields
            .first { $0.name == target.field }
        if let declared { compare(rule, with: declared, target, at: entry.node.place) }
        return OnboardingFieldRule(rule: rule, target: target)
    }

    private mutating func target(
        _ node: FileNode, _ rules: DocumentRules
    ) -> OnboardingFieldRule.Target? {
        let parts = (node.json.string ?? "").split(
            separator: ".", omittingEmptySubsequences: false
        ).map(String.init)
        guard parts.count == 2, Self.isName(parts[1]) else {
            mistake("it must be collection.field, for example profile.name", at: node.place)
            return nil
        }
        guard parts[0] != DocumentRules.onboardingName, let rules = rules.collection(parts[0])
        else {
            mistake("there is no collection \"\(parts[0])\" to write to", at: node.place)
            return nil
        }
        guard rules.allowsOtherFields || rules.fields.contains(where: { $0.name == parts[1] })
        else {
            mistake("\(parts[0]) has no field \"\(parts[1])\"", at: node.place)
            return nil
        }
        return .init(collection: parts[0], field: parts[1])
    }

    /// What completion could never write is a mistake now.
    private mutating func compare(
        _ rule: FieldRule, with declared: FieldRule, _ target: OnboardingFieldRule.Target,
        at place: FilePlace
    ) {
        let name = "\(target.collection).\(target.field)"
        if declared.isServerOnly {
            mistake("only the server can write \(name)", at: place)
        }
        if rule.value.type != declared.value.type {
            mistake("\(name) has the type \(declared.value.type.rawValue)", at: place)
        }
        if declared.isRequired, declared.defaultValue == nil, !rule.isRequired {
            mistake("\(name) is required, so this field must be", at: place)
        }
    }
}

extension FileNode {
    /// A member of a mapping.
    fileprivate subscript(name: String) -> FileNode? {
        guard case .mapping(let entries) = value else { return nil }
        return entries.first { $0.name == name }?.node
    }

    /// This mapping with those members of another one that it lacks and that a screen may have.
    fileprivate func takingOver(_ other: FileNode) -> FileNode {
        guard case .mapping(let own) = value, case .mapping(let others) = other.value else {
            return self
        }
        let names = Set(own.map(\.name) + ["read-only", "server-only", "display-name"])
        return FileNode(.mapping(own + others.filter { !names.contains($0.name) }), place)
    }
}
