import Cryptography
import JSON
import Storage

/// Heads of audit trails that were kept elsewhere: in JSON lines of `audit watch` or `audit list`,
/// or in those that a webhook's receiver has written.
struct TrailWitness {
    /// The texts that are signed, in the order of the file.
    private(set) var texts: [String] = []

    /// Takes the heads of one line, whatever else it has. A line without any is passed over.
    mutating func take(_ line: [UInt8]) {
        // A list is an array with a row in each line.
        var bytes = line[...]
        if let first = bytes.first, first == UInt8(ascii: "[") || first == UInt8(ascii: ",") {
            bytes = bytes.dropFirst()
        }
        guard let object = JSONReader.object(in: Array(bytes)) else { return }
        take(object)
    }

    private mutating func take(_ object: JSONObject) {
        for member in object.members {
            if let inner = member.value.object { take(inner) }
            guard member.name == "detail", let text = member.value.string, text.hasPrefix("eyJ")
            else { continue }
            texts.append(text)
        }
    }

    /// The heads and cuts among them that `key` has signed.
    func statements(signedBy key: Ed25519VerifyingKey) -> [TrailStatement] {
        // The file has those of all services; another one's are refused here.
        texts.compactMap { try? TrailStatement($0, signedBy: key) }
    }
}
