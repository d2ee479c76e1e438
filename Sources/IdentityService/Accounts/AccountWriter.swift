import Contracts
package import ServiceRuntime
import Storage

/// What every flow writes accounts with: the keys, the source of randomness, what is made of both,
/// and what else a sign-in may begin or end. A service makes it once, and hands it on whole.
package struct AccountWriter: Sendable {
    /// The service's keys.
    package let keys: IdentityKeys
    /// The source of all random values.
    package let randomness: any Randomness
    /// By which channels owners are told.
    let noticeSettings: NoticeSettings
    let guests: any GuestDocuments
    let exports: any PendingExports
    let deletions: any PendingDeletions
    /// What asks for a second proof of a sign-in.
    let gate: SignInGate
    /// Makes the links of notices.
    let disownLinks: DisownLinks

    /// Writes with what the other modules do for a sign-in.
    /// - Parameter settings: They say where the links of notices lead, and how long they work.
    package init(
        keys: IdentityKeys, randomness: any Randomness, guests: any GuestDocuments,
        exports: any PendingExports, deletions: any PendingDeletions, gate: SignInGate,
        settings: IdentitySettings
    ) {
        self.keys = keys
        self.randomness = randomness
        noticeSettings = settings.ownerNotices
        self.guests = guests
        self.exports = exports
        self.deletions = deletions
        self.gate = gate
        disownLinks = DisownLinks(settings)
    }

    /// Decrypts the rows of accounts.
    package var reader: AccountReader { AccountReader(keys: keys, randomness: randomness) }

    /// Builds messages to the other services.
    var outbox: IdentityOutbox { IdentityOutbox(keys: keys, randomness: randomness) }

    /// Enqueues notices to the owners of accounts.
    var notices: OwnerNotice { OwnerNotice(writer: self) }

    /// Issues sign-in proofs.
    var proofs: ProofIssuer { ProofIssuer(keys: keys, randomness: randomness) }

    /// The vault of a new account, with a new key.
    /// - Throws: when sealing the key fails.
    package func newVault(of account: AccountID) throws -> AccountVault {
        try AccountVault(new: account, under: keys.accounts, randomness: randomness)
    }
}

/// A handler or a flow that writes accounts. It names the parts of its writer as if they were its
/// own.
package protocol AccountWriting {
    var writer: AccountWriter { get }
}

extension AccountWriting {
    /// The service's keys.
    package var keys: IdentityKeys { writer.keys }
    /// The source of all random values.
    package var randomness: any Randomness { writer.randomness }
    /// Decrypts the rows of accounts.
    package var reader: AccountReader { writer.reader }
    /// Builds messages to the other services.
    package var outbox: IdentityOutbox { writer.outbox }
    /// Enqueues notices to the owners of accounts.
    package var notices: OwnerNotice { writer.notices }
    var proofs: ProofIssuer { writer.proofs }

    /// Writes an audit event about a proved identity, with its method if events of the kind have
    /// one.
    /// - Throws: `SQLError`.
    func audit(
        _ kind: AuditKind, _ proved: ProvedIdentity, of account: AccountID?,
        from origin: CallOrigin, outcome: ErrorCode? = nil, _ transaction: Transaction
    ) throws {
        let method = AuditDetail.method(proved.method.name)
        try transaction.audit(
            kind, account, detail: kind.allows(method) ? method : nil, from: origin,
            subject: keys.subject(of: proved), outcome: outcome)
    }
}
