/// The methods that a caller may call: one method, all of a service, the public ones, or everything.
package struct MethodPattern: Hashable, Sendable, CustomStringConvertible {
    private let text: String
    /// The text with the method's current name.
    private let current: String

    /// The methods of the server with the option `public`, which the web service calls for browsers
    /// and phones. An attacker who takes it over reaches no other method with its key.
    package static let publicMethods = MethodPattern(word: "public-methods")
    /// All methods, also those for named callers only. For the operator's tool at our own services; a
    /// list of callers has no word for it, since there each such caller is to be named.
    package static let everything = MethodPattern(word: "everything")

    private init(word: String) { (text, current) = (word, word) }

    /// `postern.session.v1.Sessions/ValidateAccessToken`, `postern.session.v1.Sessions/*`, or
    /// `public-methods`.
    /// - Returns: nil for anything else.
    package init?(_ text: String) {
        if text == Self.publicMethods.text {
            self = .publicMethods
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].contains("."), !parts[1].isEmpty,
            !parts[0].contains("*"), parts[1] == "*" || !parts[1].contains("*")
        else { return nil }
        self.text = text
        current = FormerMethodNames.current[text] ?? text
    }

    /// Whether it names a method by a former name.
    var isFormerName: Bool { current != text }

    /// The pattern's text.
    package var description: String { text }

    /// Whether the pattern matches `method`.
    package func matches(_ method: String, isPublic: Bool) -> Bool {
        if self == .publicMethods { return isPublic }
        if self == .everything { return true }
        guard text.hasSuffix("/*") else { return current == method }
        return method.hasPrefix(text.dropLast())
    }
}

/// The methods of one server that an application may call: a flag for each method of the server's
/// table. It is made when the callers are read, so a call costs one array lookup, or nothing where
/// all methods are allowed.
struct MethodPermissions: Sendable {
    /// All methods.
    static let all = MethodPermissions(marks: nil)

    private let marks: [Bool]?

    private init(marks: [Bool]?) {
        self.marks = marks
    }

    /// - Parameters:
    ///   - patterns: nil for all methods except those in `namedOnly`.
    ///   - namedOnly: methods that a caller may call only when its entry names them.
    ///   - publicNames: the methods with the option `public`.
    init(
        _ patterns: [MethodPattern]?, of methods: [String], namedOnly: Set<String> = [],
        publicNames: Set<String> = []
    ) {
        guard patterns != nil || !namedOnly.isEmpty else {
            marks = nil
            return
        }
        marks = methods.map { method in
            guard let patterns else { return !namedOnly.contains(method) }
            let isPublic = publicNames.contains(method)
            return method.hasPrefix(Self.alwaysAllowed)
                || patterns.contains { $0.matches(method, isPublic: isPublic) }
        }
    }

    /// Whether the method at `index` of the table may be called.
    func allows(_ index: Int) -> Bool {
        guard let marks else { return true }
        return marks.indices.contains(index) && marks[index]
    }

    /// Always allowed: clients watch health to choose among servers, and it reveals nothing else.
    private static let alwaysAllowed = "postern.health.v1.Health/"
}
