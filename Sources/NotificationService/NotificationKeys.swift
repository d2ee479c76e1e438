package import Cryptography
package import ServiceRuntime
package import Storage

/// The keys of one notification store. All are derived from its one master key, each for one
/// purpose.
package struct NotificationKeys: StoreKeys {
    private static let sealingKeyID: UInt8 = 1

    /// Seals a message's content and recipient.
    let contents: SealedBox
    /// The keys for registered devices.
    let devices: Devices
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
        devices = try Devices(master: master, randomness: randomness)
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
        return calls.lookUpKey(DelimitedParts.joined(names.map { Array($0.utf8) }))
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

extension NotificationKeys {
    /// The keys of registered devices. A stolen store reveals neither their tokens nor their
    /// owners.
    struct Devices: Sendable {
        private static let sealingKeyID: UInt8 = 1

        private let tokens: KeyedHash
        private let sessions: KeyedHash
        private let box: SealedBox

        init(master: SecretBytes, randomness: any Randomness) throws {
            tokens = KeyedHash(master: master, purpose: "notification/device-tokens")
            sessions = KeyedHash(master: master, purpose: "notification/device-sessions")
            let sealing = KeyDerivation.key(from: master, purpose: "notification/devices")
            box = try SealedBox(
                keys: [Self.sealingKeyID: sealing], current: Self.sealingKeyID,
                randomness: randomness)
        }

        /// The keyed hash by which a token is found.
        func token(_ token: String, on platform: PushPlatform) -> [UInt8] {
            tokens.lookUpKey(Array("\(platform.rawValue)/\(token)".utf8))
        }

        /// The keyed hash by which a session's devices are found.
        func session(_ session: SessionID) -> [UInt8] {
            sessions.lookUpKey(Array(session.text.utf8))
        }

        func seal(_ token: String, of device: PushDeviceID) throws -> [UInt8] {
            try box.seal(Array(token.utf8), at: Self.place(of: device))
        }

        func open(_ sealed: [UInt8], of device: PushDeviceID) throws -> String {
            String(decoding: try box.open(sealed, at: Self.place(of: device)), as: UTF8.self)
        }

        func seal(_ account: AccountID, of device: PushDeviceID) throws -> [UInt8] {
            try box.seal(Array(account.text.utf8), at: Self.accountPlace(of: device))
        }

        /// The account of a device.
        func openAccount(_ sealed: [UInt8], of device: PushDeviceID) throws -> AccountID {
            let text = try box.open(sealed, at: Self.accountPlace(of: device))
            guard let account = AccountID(text: String(decoding: text, as: UTF8.self)) else {
                throw SQLError(.unexpectedValue, detail: "push_device.sealed_account is no account")
            }
            return account
        }

        /// Whether a device's sealed token opens under these keys.
        func opens(_ sealed: [UInt8], of device: PushDeviceID) -> Bool {
            box.opens(sealed, at: Self.place(of: device))
        }

        private static func accountPlace(of device: PushDeviceID) -> SealedPlace {
            SealedPlace(table: "push_device", column: "sealed_account", row: device.key)
        }

        private static func place(of device: PushDeviceID) -> SealedPlace {
            SealedPlace(table: "push_device", column: "token", row: device.key)
        }
    }
}

extension NotificationKeys {
    /// For each of the oldest sealed values of each kind: whether these keys can open it. Used by
    /// `Store.requireKey`.
    ///
    /// - Throws: `SQLError`.
    package func openOldest(in session: any SQLSession, limit: Int64) throws -> [Bool] {
        let vault = WebhookVault(box: contents)
        let webhooks = try session.webhooks().prefix(Int(limit)).map { row in
            vault.box.opens(row.target, at: WebhookVault.place(.target, row.id))
        }
        let tokens = try session.query(
            "SELECT id, token FROM push_device ORDER BY seen_at_ms, id LIMIT ?", [.integer(limit)]
        ) { row in
            try PushDeviceID(key: row.integer(0)).map { devices.opens(try row.blob(1), of: $0) }
        }
        let messages = try session.query(
            """
            SELECT id, content FROM message
            WHERE due_at_ms IS NOT NULL ORDER BY accepted_at_ms, id LIMIT ?
            """,
            [.integer(limit)]
        ) { row in
            contents.opens(try row.blob(1), at: .content(of: try row.messageID(0)))
        }
        return webhooks + tokens.compactMap(\.self) + messages
    }
}
