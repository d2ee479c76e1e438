package import Cryptography
package import ServiceRuntime

/// The keys of one notification store. All are derived from its one master key, each for one
/// purpose.
package struct NotificationKeys: Sendable {
    private static let sealingKeyID: UInt8 = 1

    /// Seals a message's content and recipient.
    let contents: SealedBox
    /// The keys for registered devices.
    let devices: DeviceKeys
    private let calls: KeyedHash
    private let requests: KeyedHash
    private let recipients: KeyedHash
    private let accounts: KeyedHash

    /// Derives the keys from `master` (32 random bytes).
    /// - Throws: `CryptographyError`.
    package init(master: SecretBytes, randomness: any Randomness) throws {
        let sealing = KeyDerivation.key(from: master, purpose: "notification/contents")
        contents = try SealedBox(
            keys: [Self.sealingKeyID: sealing], current: Self.sealingKeyID, randomness: randomness)
        devices = try DeviceKeys(master: master, randomness: randomness)
        calls = KeyedHash(master: master, purpose: "notification/calls")
        requests = KeyedHash(master: master, purpose: "notification/requests")
        recipients = KeyedHash(master: master, purpose: "notification/recipients")
        accounts = KeyedHash(master: master, purpose: "notification/accounts")
    }

    /// The idempotency record's key for a call (G-25): application, method and idempotency key,
    /// each prefixed with its length so that no two calls produce the same bytes. `part`
    /// distinguishes the messages of a call that sends several.
    func call(application: String, method: String, key: String, part: String = "") -> [UInt8] {
        let names = [application, method, key] + (part.isEmpty ? [] : [part])
        let parts = names.flatMap { part in
            (0..<4).map { UInt8(truncatingIfNeeded: part.utf8.count >> (24 - $0 * 8)) } + part.utf8
        }
        return calls.lookUpKey(parts)
    }

    /// A keyed hash by which two requests can be compared without storing their content.
    func fingerprint(_ request: [UInt8]) -> [UInt8] { requests.hash(request) }

    /// The keyed hash by which a recipient is found in the audit trail and in suppression lists.
    /// `key` is `StoredOrder.recipientKey`.
    package func recipient(_ key: [UInt8]) -> [UInt8] { recipients.lookUpKey(key) }

    /// The keyed hash by which an account's messages are found when the account is erased. A stolen
    /// store does not reveal the owner.
    package func account(_ account: AccountID) -> [UInt8] {
        accounts.lookUpKey(Array(account.text.utf8))
    }
}
