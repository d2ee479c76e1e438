import Addresses
import Contracts
import IdentityService
import Logging
import ServiceRuntime
import Storage

/// Releases what an account is looked up by: its email, its phone number, its identities at
/// providers, its passkeys and its id in another system; and voids its links, codes and pending
/// changes (G-20). From the commit on the same person can sign up again, as another account.
struct DeletionRelease: AccountWriting, Sendable {
    let writer: AccountWriter
    let logger: Logger

    /// Runs in the transaction of the step.
    /// - Returns: what later steps need to know of the account. Without content for an account
    ///   whose rows do not decrypt, which is logged: it must not stay because of that.
    func run(_ account: AccountID, _ transaction: Transaction) throws -> DeletionPayload {
        let row = try transaction.account(account)
        let identities = try transaction.identities(of: account)
        let holders = try transaction.grants(of: account)
        let payload = row.flatMap { row in
            reader.readable(account, logger) {
                try self.payload(of: row, identities, holders)
            }
        }
        try transaction.voidPendingState(of: account)
        try transaction.removeSecondFactors(of: account)
        try transaction.removePasskeys(of: account)
        try transaction.removePassword(of: account)
        try transaction.removeIdentities(of: account)
        try transaction.deleteRemovals(from: account)
        let key: [SQLValue] = [.integer(account.key)]
        try transaction.put("DELETE FROM email_addresses WHERE account = ?", key)
        try transaction.put("DELETE FROM imported_accounts WHERE account = ?", key)
        return payload ?? DeletionPayload()
    }

    private func payload(
        of row: AccountRow, _ identities: [IdentityRow],
        _ holders: [(lookUpKey: [UInt8], holder: GrantHolder)]
    ) throws -> DeletionPayload {
        let vault = try reader.vault(row)
        let grants = Grants(writer: writer)
        var payload = DeletionPayload(
            email: try reader.address(row)?.entered ?? "",
            isEmailProved: row.address?.provedAt != nil, language: row.language)
        for identity in identities where identity.method == .phone {
            let text = try vault.open(
                identity.sealedDetails, .identityDetails(identity.identity))
            payload.phoneNumbers.append(try IdentityDetails(text: text).subject)
        }
        for (lookUpKey, holder) in holders {
            guard let grant = try grants.grant(of: holder) else { continue }
            payload.grants.append(
                .init(
                    provider: grant.provider, client: grant.client, token: grant.refreshToken,
                    lookUpKey: lookUpKey))
        }
        return payload
    }
}
