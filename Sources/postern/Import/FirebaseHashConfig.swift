import Cryptography

/// The "Password hash parameters" of a project, as Firebase's console shows them:
///
///     hash_config {
///       algorithm: SCRYPT,
///       base64_signer_key: jxsp…,
///       base64_salt_separator: Bw==,
///       rounds: 8,
///       mem_cost: 14,
///     }
struct FirebaseHashConfig: Hashable {
    let signerKey: [UInt8]
    let saltSeparator: [UInt8]
    let rounds: Int
    let memoryCost: Int

    /// Parses the copied text.
    /// - Throws: `ToolError`, naming what is missing.
    init(_ text: String) throws {
        var fields: [String: String] = [:]
        for line in text.split(whereSeparator: { "\n\r{},".contains($0) }) {
            let parts = line.split(separator: ":", maxSplits: 1).map { part in
                String(
                    part.drop { " \t\"".contains($0) }.reversed()
                        .drop { " \t\"".contains($0) }.reversed())
            }
            if parts.count == 2 { fields[parts[0]] = parts[1] }
        }
        func field(_ name: String) throws -> String {
            guard let text = fields[name] else {
                throw ToolError.badInput("the hash parameters have no \(name)")
            }
            return text
        }
        guard try field("algorithm") == "SCRYPT" else {
            throw ToolError.badInput("the hash parameters' algorithm is not SCRYPT")
        }
        guard let key = Base64.decode(try field("base64_signer_key").utf8),
            let separator = Base64.decode(try field("base64_salt_separator").utf8),
            let rounds = Int(try field("rounds")), let memoryCost = Int(try field("mem_cost"))
        else { throw ToolError.badInput("the hash parameters are invalid") }
        signerKey = key
        saltSeparator = separator
        self.rounds = rounds
        self.memoryCost = memoryCost
    }
}
