import FoundationEssentials

/// Reads settings from JSON: an object of strings, numbers, booleans, lists of them, and objects.
enum JSONSettings {
    /// The settings of a file's text.
    static func read(_ text: String) -> Result<[SettingsFileEntry], FileText.Failure> {
        do {
            let node = try JSONDecoder().decode(Node.self, from: Data(text.utf8))
            guard case .object(let members) = node else {
                return .failure(.init(sentence: "the file's top is not an object"))
            }
            return .success(try entries(members, after: ""))
        } catch let failure as FileText.Failure {
            return .failure(failure)
        } catch {
            return .failure(.init(sentence: "the file is not the JSON of settings: \(error)"))
        }
    }

    private static func entries(
        _ members: [String: Node], after prefix: String
    ) throws -> [SettingsFileEntry] {
        try members.sorted { $0.key < $1.key }.flatMap { key, node in
            let name = prefix + key
            if case .object(let inner) = node { return try entries(inner, after: name + "-") }
            return [SettingsFileEntry(name: name, value: try value(node, name), line: nil)]
        }
    }

    private static func value(_ node: Node, _ name: String) throws -> SettingValue {
        switch node {
        case .text(let text): return .one(text)
        case .list(let nodes):
            return .many(
                try nodes.map { node in
                    guard case .text(let text) = node else {
                        throw FileText.Failure(sentence: "\(name) holds more than a list of values")
                    }
                    return text
                })
        case .object, .nothing: throw FileText.Failure(sentence: "\(name) has no value")
        }
    }

    private enum Node: Decodable {
        case text(String)
        case list([Node])
        case object([String: Node])
        case nothing

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .nothing
            } else if let claim = try? container.decode(Bool.self) {
                // Each `try?` asks whether the value is of this type; the last one throws.
                self = .text(String(claim))
            } else if let number = try? container.decode(Int.self) {
                self = .text(String(number))
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Node].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Node].self))
            }
        }
    }
}
