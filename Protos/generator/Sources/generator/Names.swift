import SwiftProtobufPluginLibrary

extension FileDescriptor {
    /// `postern.session.v1` → `SessionV1`.
    var namespace: String {
        let parts = package.split(separator: ".").dropFirst()
        return parts.map { Self.twoWords[String($0)] ?? upperCamel(String($0)) }.joined()
    }

    /// Parts of packages that are two words.
    private static let twoWords = ["accountdata": "AccountData", "ratelimit": "RateLimit"]

    /// The gateway's messages are for other packages too (`PosternClient`).
    var isPublic: Bool { package == "postern.gateway.v1" }

    /// Who may use the messages.
    var access: String { isPublic ? "public" : "package" }
}

extension Descriptor {
    /// `SessionV1.RefreshSessionRequest`.
    var swiftName: String { "\(file.namespace).\(name)" }

    /// `postern__session__v1__refresh_request`.
    var cFunctions: String {
        file.package.split(separator: ".").joined(separator: "__") + "__" + snake(name)
    }
}

extension EnumDescriptor {
    /// `SessionV1.EndReason`.
    var swiftName: String { "\(file.namespace).\(name)" }

    /// `END_REASON_SIGNED_OUT` → `signedOut`.
    func caseName(_ value: EnumValueDescriptor) -> String {
        let prefix = snake(name).uppercased() + "_"
        let short =
            value.name.hasPrefix(prefix)
            ? String(value.name.dropFirst(prefix.count)) : value.name
        return lowerCamel(short.lowercased())
    }
}

/// `go_away` → `GoAway`.
func upperCamel(_ name: String) -> String {
    name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
}

/// `access_token` → `accessToken`; `SignUp` → `signUp`.
func lowerCamel(_ name: String) -> String {
    let camel = upperCamel(name)
    return camel.prefix(1).lowercased() + camel.dropFirst()
}

/// `RefreshRequest` → `refresh_request`, `OAuthLink` → `oauth_link`: as protoc-gen-c does it, no
/// underscore between capitals.
func snake(_ name: String) -> String {
    var snake = ""
    var wasUpper = true
    for character in name {
        if character.isUppercase, !wasUpper { snake += "_" }
        snake += character.lowercased()
        wasUpper = character.isUppercase
    }
    return snake
}

/// A leading comment from a .proto as a doc comment, without its `requirement:` lines, which are for
/// readers of the .proto. Its `errors:` lines become a `- Throws:`.
func docComment(_ comment: String, indent: String) -> String {
    let text = commentLines(comment)
    let errors = errorCodes(comment).map { codes in
        codes.map { "`\($0)`" }.joined(separator: ", ")
    }
    let throwing = errors.enumerated().map { index, codes in
        (index == 0 ? "- Throws: " : "  ") + codes + (index == errors.count - 1 ? "." : ",")
    }
    return (text + throwing)
        .map { $0.isEmpty ? "\(indent)///\n" : "\(indent)/// \($0)\n" }.joined()
}

/// The lines of a comment for readers of what is generated: without `requirement:` and `errors:`.
private func commentLines(_ comment: String) -> [String] {
    let lines = comment.split(separator: "\n", omittingEmptySubsequences: false)
        .map { String($0.trimmingPrefix(" ")) }
        .filter { !$0.hasPrefix("requirement:") && !$0.hasPrefix("errors:") }
    return lines.reversed().drop { $0.isEmpty }.reversed()
}

/// A leading comment as Markdown: a line for each paragraph.
func prose(_ comment: String) -> String {
    commentLines(comment).split { $0.isEmpty }.map { $0.joined(separator: " ") }
        .joined(separator: "\n\n")
}

/// The codes of an rpc's comment, for each of its `errors:` lines.
func errorCodes(_ comment: String) -> [[String]] {
    comment.split(separator: "\n").map { $0.trimmingPrefix(" ") }
        .filter { $0.hasPrefix("errors:") }
        .map { line in
            line.dropFirst("errors:".count).split(separator: ",")
                .map { String($0.trimmingPrefix(" ")) }
        }
}

/// Words that Swift keeps for itself.
enum Keywords {
    /// Swift takes these as names only between backticks.
    static let swift: Set<String> = [
        "Any", "Self", "as", "associatedtype", "await", "break", "case", "catch", "class",
        "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
        "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
        "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat",
        "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
        "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}

/// `name` as Swift code.
func escaped(_ name: String) -> String {
    Keywords.swift.contains(name) ? "`\(name)`" : name
}
