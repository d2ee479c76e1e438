package import Cryptography
package import ServiceRuntime

/// The keys of one notification store, all from its one master key, each for one purpose.
package struct NotificationKeys: Sendable {
    private static let sealingKeyID: UInt8 = 1

    /// Seals what a message says and who it is for.
    let contents: SealedBox
    private let calls: KeyedHash
    private let requests: KeyedHash
    private let recipients: KeyedHash
    private let accounts: KeyedHash

    /// The keys that `master` (32 random bytes) gives.
    /// - Throws: `CryptographyError`.
    package init(master: SecretBytes, randomness: any Randomness) throws {
        let sealing = KeyDerivation.key(from: master, purpose: "notification/contents")
        contents = try SealedBox(
            keys: [Self.sealingKeyID: sealing], current: Self.sealingKeyID, randomness: randomness)
        calls = KeyedHash(master: master, purpose: "notification/calls")
        requests = KeyedHash(master: master, purpose: "notification/requests")
        recipients = KeyedHash(master: master, purpose: "notification/recipients")
        accounts = KeyedHash(master: master, purpose: "notification/accounts")
    }

    /// What a call is known by (G-25): application, method and idempotency key, each behind its
    /// length, so that no two calls share their bytes; and, where one call brings several messages,
    /// which of them.
    func call(application: String, method: String, key: String, part: String = "") -> [UInt8] {
        let names = [application, method, key] + (part.isEmpty ? [] : [part])
        let parts = names.flatMap { part in
            (0..<4).map { UInt8(truncatingIfNeeded: part.utf8.count >> (24 - $0 * 8)) } + part.utf8
        }
        return calls.lookUpKey(parts)
    }

    /// What tells one request from another without giving away what it says.
    func fingerprint(_ request: [UInt8]) -> [UInt8] { requests.hash(request) }

    /// What a recipient is found by, in the audit trail and in lists of dead addresses; `key` is
    /// `StoredOrder.recipientKey`.
    package func recipient(_ key: [UInt8]) -> [UInt8] { recipients.lookUpKey(key) }

    /// What an account's messages are found by when it is forgotten: a stolen store does not tell
    /// whose they are.
    package func account(_ account: AccountID) -> [UInt8] {
        accounts.lookUpKey(Array(account.text.utf8))
    }
}
