/// Why JSON and a message do not go together. What it quotes comes from the caller's own text or
/// from the schema.
package struct MappingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where, as a path of JSON names: `device.deviceId`, `charges[2].limit`; empty at the top.
    package let path: String
    /// What is wrong, in English.
    package let reason: String

    /// Something wrong at `path`.
    init(_ reason: String, at path: JSONPath = JSONPath()) {
        self.path = path.text
        self.reason = reason
    }

    package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
}

/// Where in a JSON text the mapping is.
struct JSONPath {
    private(set) var text = ""
    /// Messages within each other.
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
