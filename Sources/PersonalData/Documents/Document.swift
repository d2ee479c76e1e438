package import JSON
import ServiceRuntime

/// The name of a document: what identifies it in its account.
package struct DocumentKey: Hashable, Sendable {
    /// The collection that it is in.
    package let collection: String
    /// Its name there.
    package let name: String

    /// The name of the one document of a collection that needs no more.
    static let main = "main"
    static let collectionBytes = 1...64
    static let nameBytes = 1...128

    /// A key from a request.
    /// - Parameter fieldPrefix: what the fields' names in the request begin with, for example
    ///   `writes[0].`.
    /// - Throws: `rpc/invalid-argument` with the field.
    static func required(
        collection: String, name: String, in fieldPrefix: String = ""
    ) throws(ServiceError) -> DocumentKey {
        guard isCollection(collection) else {
            throw ServiceError.invalidArgument(
                "\(fieldPrefix)collection",
                "A name has 1 to \(collectionBytes.upperBound) of a-z, 0-9, _ and -.")
        }
        // Control characters would break lines of logs, and NUL ends a text in PostgreSQL.
        guard nameBytes.contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw ServiceError(.invalidArgument, fields: ["\(fieldPrefix)name"]) }
        return DocumentKey(collection: collection, name: name)
    }

    /// Whether a text can be a collection's name: `[a-z0-9_-]{1,64}`.
    static func isCollection(_ text: String) -> Bool {
        text.isName(collectionBytes, [.lower, .digit], marks: "-_")
    }
}

/// The JSON of a document, within its limits.
package enum DocumentText {
    /// The longest text, in bytes, as sent and as stored.
    static let bytesMax = 64 * 1_024
    /// Each level of nesting takes a stack frame, and rules compare each member of an object.
    private static let options = JSONReader.Options(
        depthMax: 16, membersMax: 1_000, refusesLargeIntegers: true)

    /// The object of a text: strict JSON (RFC 8259) without NUL and repeated names.
    ///
    /// Numbers are 64-bit integers or doubles, as in RFC 7493, 2.2: others would be read
    /// differently by the app's platforms. An integer of more bits would come back as another one.
    /// - Returns: nil if it is no such object.
    package static func object(in text: String) -> JSONObject? {
        guard text.utf8.count <= bytesMax else { return nil }
        // The reason is dropped on purpose: it may quote the document.
        return (try? JSONReader.value(in: Array(text.utf8), options))?.object
    }

    /// The text of an object as it is stored.
    ///
    /// A merge or a default can make an object that is beyond the limits although each text that
    /// was sent is within them. Stored, it could neither be changed nor removed again.
    /// - Returns: nil if it is too long, or could not be read back.
    static func text(_ object: JSONObject) -> String? {
        let text = JSONWriter.text(object)
        return self.object(in: text) == nil ? nil : text
    }
}

extension JSONObject {
    /// The object in which the members of `changes` replace those of the same name; null removes
    /// one. Only top-level members: a nested object is replaced as a whole.
    func merging(_ changes: JSONObject) -> JSONObject {
        var values: [String: JSONValue] = [:]
        for change in changes.members { values[change.name] = change.value }
        var present: Set<String> = []
        var merged: [Member] = []
        for member in members {
            present.insert(member.name)
            let value = values[member.name] ?? member.value
            let isRemoved = values[member.name] == .null
            if !isRemoved { merged.append(Member(name: member.name, value: value)) }
        }
        merged += changes.members.filter { $0.value != .null && !present.contains($0.name) }
        return JSONObject(unique: merged)
    }
}
