/// Which methods a caller may call: one, or all of a service.
package struct MethodPattern: Hashable, Sendable, CustomStringConvertible {
    private let text: String

    /// `postern.session.v1.Sessions/Validate`, or `postern.session.v1.Sessions/*`.
    /// - Returns: nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].contains("."), !parts[1].isEmpty,
            !parts[0].contains("*"), parts[1] == "*" || !parts[1].contains("*")
        else { return nil }
        self.text = text
    }

    /// As it is read.
    package var description: String { text }

    /// Whether it means `method`.
    func matches(_ method: String) -> Bool {
        guard text.hasSuffix("/*") else { return text == method }
        return method.hasPrefix(text.dropLast())
    }
}

/// What one application may call of one server: a mark for each method of its table, made when the
/// callers are read, so that a call costs a look into an array, and nothing where all is allowed.
struct MethodPermissions: Sendable {
    /// Every method.
    static let all = MethodPermissions(marks: nil)

    private let marks: [Bool]?

    private init(marks: [Bool]?) {
        self.marks = marks
    }

    /// - Parameters:
    ///   - patterns: nil for every method but those of `namedOnly`.
    ///   - namedOnly: methods that no caller may call without being told so by name.
    init(_ patterns: [MethodPattern]?, of methods: [String], namedOnly: Set<String> = []) {
        guard patterns != nil || !namedOnly.isEmpty else {
            marks = nil
            return
        }
        marks = methods.map { method in
            guard let patterns else { return !namedOnly.contains(method) }
            return method.hasPrefix(Self.alwaysAllowed) || patterns.contains { $0.matches(method) }
        }
    }

    /// Whether the method at `index` of the table may be called.
    func allows(_ index: Int) -> Bool {
        guard let marks else { return true }
        return marks.indices.contains(index) && marks[index]
    }

    /// Clients watch health to choose among servers; it tells nothing else.
    private static let alwaysAllowed = "postern.health.v1.Health/"
}
