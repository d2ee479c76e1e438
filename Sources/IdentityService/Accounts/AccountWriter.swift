import ServiceRuntime

/// What every flow writes accounts with: the keys, the source of randomness, what is made of both,
/// and what else a sign-in may begin or end. A service makes it once, and hands it on whole.
package struct AccountWriter: Sendable {
    let keys: IdentityKeys
    let randomness: any Randomness
    let guests: any GuestDocuments
    let exports: any PendingExports
    let deletions: any PendingDeletions

    /// Decrypts the rows of accounts.
    var reader: AccountReader { AccountReader(keys: keys, randomness: randomness) }

    /// Builds messages to the other services.
    var outbox: IdentityOutbox { IdentityOutbox(keys: keys, randomness: randomness) }

    /// Enqueues notices to the owners of accounts.
    var notices: NoticeMail { NoticeMail(writer: self) }

    /// Issues sign-in proofs.
    var proofs: ProofIssuer { ProofIssuer(keys: keys, randomness: randomness) }

    /// The vault of a new account, with a new key.
    /// - Throws: when sealing the key fails.
    func newVault(of account: AccountID) throws -> AccountVault {
        try AccountVault(new: account, under: keys.accounts, randomness: randomness)
    }
}

/// A handler or a flow that writes accounts. It names the parts of its writer as if they were its
/// own.
protocol AccountWriting {
    var writer: AccountWriter { get }
}

extension AccountWriting {
    var keys: IdentityKeys { writer.keys }
    var randomness: any Randomness { writer.randomness }
    var reader: AccountReader { writer.reader }
    var outbox: IdentityOutbox { writer.outbox }
    var notices: NoticeMail { writer.notices }
    var proofs: ProofIssuer { writer.proofs }
}
