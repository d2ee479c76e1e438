import Cryptography
import JSON
import ServiceRuntime

/// The name of the system that an account was imported from, and the account's id there.
struct ImportedID: Hashable, Sendable {
    /// The operator chooses the names of systems; external ids rarely exceed 128 bytes.
    private static let sourceBytes = 1...64
    private static let idBytes = 1...256

    let source: String
    let id: String

    /// Nil if either is empty or too long.
    init?(source: String, id: String) {
        guard Self.sourceBytes.contains(source.utf8.count), Self.idBytes.contains(id.utf8.count)
        else { return nil }
        self.source = source
        self.id = id
    }

    /// The text that is sealed: JSON.
    var text: String { JSONWriter.text(["source": .string(source), "id": .string(id)]) }

    /// Parses `text`.
    /// - Throws: `rpc/internal` if it is malformed: only this service writes it.
    init(text: String) throws(ServiceError) {
        guard let members = JSONReader.object(in: Array(text.utf8)),
            let source = members["source"]?.string, let id = members["id"]?.string,
            let read = ImportedID(source: source, id: id)
        else { throw ServiceError(.internalError, detail: "an external id is malformed") }
        self = read
    }
}

extension IdentityKeys {
    /// The keyed hash by which an imported account is looked up.
    func lookUpKey(of imported: ImportedID) -> [UInt8] {
        identities.lookUpKey(
            DelimitedParts.joined([
                Array("imported".utf8), Array(imported.source.utf8), Array(imported.id.utf8),
            ]))
    }
}
