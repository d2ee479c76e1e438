import Cryptography
import ServiceRuntime

/// A system that accounts came from, and an account's id there.
struct ImportedID: Hashable, Sendable {
    /// Names of systems are an operator's; ids elsewhere are seldom over 128 bytes.
    private static let sourceBytes = 1...64
    private static let idBytes = 1...256

    let source: String
    let id: String

    /// Nil where either is empty or too long.
    init?(source: String, id: String) {
        guard Self.sourceBytes.contains(source.utf8.count), Self.idBytes.contains(id.utf8.count)
        else { return nil }
        self.source = source
        self.id = id
    }

    /// As it is sealed.
    var text: String { JSONWriter.text(["source": .string(source), "id": .string(id)]) }

    /// Reads what `text` wrote.
    /// - Throws: `rpc/internal` for anything else: only this program writes it.
    init(text: String) throws(ServiceError) {
        guard let members = JSONReader.object(in: Array(text.utf8)),
            let source = members["source"]?.string, let id = members["id"]?.string,
            let read = ImportedID(source: source, id: id)
        else { throw ServiceError(.internalError, detail: "an id from elsewhere does not read") }
        self = read
    }
}

extension IdentityKeys {
    /// The keyed hash by which an account from elsewhere is found.
    func lookUpKey(of imported: ImportedID) -> [UInt8] {
        identities.lookUpKey(
            DelimitedParts.joined([
                Array("imported".utf8), Array(imported.source.utf8), Array(imported.id.utf8),
            ]))
    }
}
