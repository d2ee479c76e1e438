package import Addresses
import Cryptography
import Messages
package import ServiceRuntime
package import Storage

/// Mails the link for a request that `requestPasswordReset` or `requestDeletionLink` accepted, if
/// the address has an account that may sign in:
///
///     account           link and mail                                   audit log
///     none              none                                            counted by network
///     active, pending   a new link to the stored address, never to      requested, mailed
///                       the entered one; earlier links become void
///     any other         none                                            requested
///
/// The outbox delivers at least once. The stored response prevents a second link, which would void
/// the first one while its mail is in transit.
package struct RequestedLinkMailing: AccountWriting, Sendable {
    /// A mailed link to the deletion page works for this long.
    private static let deletionLinkLife: Duration = .seconds(3_600)

    let settings: IdentitySettings
    let store: Store
    /// Writes accounts.
    package let writer: AccountWriter

    /// Returns when the request has been processed, by this delivery or an earlier one.
    /// - Throws: `SQLError`, or the error of building the mail; the outbox then retries.
    func run(_ message: OutboxMessage, _ purpose: LinkPurpose) async throws {
        let (requested, mailed) = Self.kinds(purpose)
        let life = purpose == .deleteAccount ? Self.deletionLinkLife : settings.resetLife
        let request = Request(message.payload)
        let key = keys.calls.lookUpKey(Array("reset mailing\0\(message.key)".utf8))
        let token = LinkToken.drawn(from: randomness)
        try await store.write(about: []) { transaction in
            guard case .fresh = try transaction.remembered(key: key, fingerprint: key) else {
                return
            }
            guard let owner = try transaction.lockedOwner(ofAddress: request.lookUpKey),
                let row = try transaction.account(owner)
            else {
                return try transaction.auditCounted(requested, from: request.origin)
            }
            try transaction.audit(
                requested, owner, from: request.origin, subject: request.subject)
            try transaction.remember(key: key, fingerprint: key, answer: [])
            // Requested before passwords were switched off.
            guard row.status.mayVerify,
                purpose != .resetPassword || settings.passwordSignIn == .on,
                let mail = try LinkMail(
                    purpose, token, to: row, settings, writer, at: transaction.at,
                    until: transaction.at + life)
            else { return }
            try transaction.send(mail)
            try transaction.audit(AuditEvent(mailed, account: owner.key))
        }
    }

    private static func kinds(
        _ purpose: LinkPurpose
    ) -> (requested: AuditKind, mailed: AuditKind) {
        purpose == .deleteAccount
            ? (.deletionLinkRequested, .deletionLinkMailed)
            : (.passwordResetRequested, .passwordResetMailed)
    }
}

extension RequestedLinkMailing {
    /// The delay before the look-up, in milliseconds.
    private static let waits: ClosedRange<UInt64> = 100...1_000

    /// A request for a mailed link, as the outbox stores it until the address is looked up: only
    /// keyed hashes, of the same length for every address.
    package struct Request: Hashable, Sendable {
        /// The hash by which the address is looked up.
        let lookUpKey: [UInt8]
        /// The hash of the address in the audit log; nil in a request that an older version wrote.
        let subject: [UInt8]?
        let origin: CallOrigin

        /// A request for a link to an address.
        package init(_ address: EmailAddress, _ keys: IdentityKeys, origin: CallOrigin) {
            self.init(
                lookUpKey: keys.lookUpKey(of: address), subject: keys.subject(of: address),
                origin: origin)
        }

        init(lookUpKey: [UInt8], subject: [UInt8], origin: CallOrigin) {
            self.lookUpKey = lookUpKey
            self.subject = subject
            self.origin = origin
        }

        /// Decodes what `bytes` wrote, or the key alone, as older versions wrote it.
        init(_ bytes: [UInt8]) {
            lookUpKey = Array(bytes.prefix(KeyedHash.lookUpKeyBytes))
            let rest = bytes.dropFirst(KeyedHash.lookUpKeyBytes)
            let origin = CallOrigin(bytes: rest.dropFirst(KeyedHash.lookUpKeyBytes))
            subject = origin == nil ? nil : Array(rest.prefix(KeyedHash.lookUpKeyBytes))
            self.origin = origin ?? .unknown
        }

        /// The encoded request, as the outbox stores it.
        var bytes: [UInt8] { lookUpKey + (subject ?? []) + origin.bytes }

        /// Enqueues the request, to be processed after a random delay.
        /// - Throws: `auth/idempotency-key-reused`; errors of the store.
        package func write(
            _ topic: OutboxTopic, _ call: RepeatableCall?, in store: Store,
            _ writer: AccountWriter, now: Timestamp
        ) async throws {
            let spread = waits.upperBound - waits.lowerBound + 1
            let wait = Duration.milliseconds(
                waits.lowerBound + writer.randomness.integer() % spread)
            let message = OutboxMessage(
                topic: topic.rawValue, key: writer.outbox.newKey(), payload: bytes,
                notBefore: now + wait, queue: topic.queue)
            try await store.write(about: []) { transaction in
                // The response has no content, so the stored one contains no account.
                guard try transaction.storedResponse(of: call) == nil else { return }
                try transaction.enqueue(message)
                try transaction.remember(call, .init(account: 0))
            }
        }
    }
}
