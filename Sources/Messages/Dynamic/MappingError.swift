/// Why JSON cannot be mapped to a message or back. Quoted text comes from the caller's own input or
/// from the schema.
package struct MappingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position, as a path of JSON names: `device.deviceId`, `charges[2].limit`; empty at the
    /// top.
    package let path: String
    /// The error message, in English.
    package let reason: String

    /// An error at `path`.
    init(_ reason: String, at path: JSONPath = JSONPath()) {
        self.path = path.text
        self.reason = reason
    }

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// The current position in a JSON text.
struct JSONPath {
    private(set) var text = ""
    /// The current nesting depth of messages.
    private(set) var depth = 0

    func member(_ name: String) -> JSONPath {
        var path = self
        path.text += text.isEmpty ? name : ".\(name)"
        path.depth += 1
        return path
    }

    func element(_ index: Int) -> JSONPath {
        var path = self
        path.text += "[\(index)]"
        return path
    }
}
