@testable import NotificationService

/// The names of all variables in a text, by which tests compare its languages.
extension MustacheTemplate {
    var names: Set<String> { Self.names(parts) }

    private static func names(_ parts: [Part]) -> Set<String> {
        parts.reduce(into: []) { names, part in
            switch part {
            case .value(let name, line: _): names.insert(name)
            case .section(_, whenEmpty: _, let inner): names.formUnion(Self.names(inner))
            case .literal, .partial: break
            }
        }
    }
}

extension MailBlock {
    var names: Set<String> {
        switch self {
        case .words(let words, html: _): words.names
        case .button(label: let label, html: _, link: let link): label.names.union([link])
        case .code: ["code"]
        case .facts(let facts): facts.reduce(into: []) { $0.formUnion($1.text.names) }
        }
    }
}

extension MailWording {
    var names: Set<String> {
        blocks.reduce(into: subject.names.union(title.names)) { $0.formUnion($1.names) }
    }
}

extension PushWording {
    var names: Set<String> { title.names.union(body.names) }
}
