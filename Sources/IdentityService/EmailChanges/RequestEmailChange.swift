import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage

extension EmailChangesHandler {
    /// Requests an email change (G-12; D3 3.3): checks that the caller has authenticated recently,
    /// writes the change, mails the link to the new address, and notifies the old one. The account
    /// does not change until the link is opened. An account without an address gets its first one
    /// in the same way.
    ///
    ///     the new address is    friendly                     strict
    ///     free                  waits for its link           waits for its link
    ///     another account's     auth/email-already-in-use    same response; its owner is notified
    ///                                                        and no link is sent
    ///     the account's own     auth/invalid-email, with the rule own-address, in both
    ///
    /// The gateway enforces the rate limit of the account; that of the new address is
    /// `UnrequestedMailRule`.
    func requestEmailChange(
        _ request: GatewayV1.RequestEmailChangeRequest, _ context: CallContext
    ) async throws -> IdentityV1.RequestEmailChangeResponse {
        guard let address = EmailAddress(request.newEmail) else {
            throw ServiceError(.invalidEmail, fields: ["new_email"])
        }
        let owner = try await owners.require(.standard, in: context)
        let wanted = Wanted(
            address: address, lookUpKey: keys.lookUpKey(of: address),
            token: LinkToken.drawn(from: randomness),
            origin: CallOrigin(context, on: request.device, keys))
        let call = try RepeatableCall(
            EmailChangesDescription.requestEmailChange, request, by: owner.account.text, context,
            keys)
        switch try await write(wanted, of: owner, call) {
        case .taken: throw ServiceError(.emailAlreadyInUse, fields: ["new_email"])
        case .waits(let row):
            return IdentityV1.RequestEmailChangeResponse(
                account: try await answers.account(row, pendingEmail: address.entered))
        }
    }

    private struct Wanted: Sendable {
        let address: EmailAddress
        let lookUpKey: [UInt8]
        let token: LinkToken
        let origin: CallOrigin
    }

    private enum Outcome: Sendable {
        case waits(AccountRow)
        case taken
    }

    private func write(
        _ wanted: Wanted, of asking: SessionOwner, _ call: RepeatableCall?
    ) async throws -> Outcome {
        let account = asking.account
        return try await store.write(about: [.account(account)]) { transaction in
            guard let row = try transaction.account(account) else {
                throw ServiceError(.invalidAccessToken)
            }
            try transaction.requireLive(asking)
            if try transaction.storedResponse(of: call) != nil { return .waits(row) }
            try check(row, wanted)
            let owner = try transaction.owner(ofAddress: wanted.lookUpKey)
            if owner != nil, settings.enumeration == .friendly {
                try audit(.emailChangeRefused, account, wanted, transaction, .emailAlreadyInUse)
                return .taken
            }
            try begin(wanted, of: row, isTakenBy: owner, transaction)
            try transaction.remember(call, .init(account: account.key))
            return .waits(row)
        }
    }

    private func check(_ row: AccountRow, _ wanted: Wanted) throws {
        guard row.status.isUsable else { throw ServiceError(.accountDisabled) }
        guard !row.isGuest else { throw ServiceError(.operationNotAllowed) }
        guard row.address?.lookUpKey != wanted.lookUpKey else {
            throw ServiceError.ownAddress(field: "new_email")
        }
    }

    private func begin(
        _ wanted: Wanted, of row: AccountRow, isTakenBy owner: AccountID?,
        _ transaction: Transaction
    ) throws {
        try transaction.requireMail(to: wanted.lookUpKey)
        let expiresAt = transaction.at + settings.verificationLife
        try transaction.insert(
            PendingEmailChange(
                account: row.account,
                tokenHash: wanted.token.hash(.changeEmail, keys.links),
                addressKey: wanted.lookUpKey,
                sealedAddress: try reader.vault(row)
                    .seal(wanted.address.entered, .newAddress),
                expiresAt: expiresAt))
        if let owner {
            try mailTaken(by: owner, transaction)
        } else {
            try mailLink(wanted.token, to: wanted.address, of: row, until: expiresAt, transaction)
        }
        try tellRequested(wanted.address, of: row, transaction)
        try audit(.emailChangeRequested, row.account, wanted, transaction)
    }

    private func audit(
        _ kind: AuditKind, _ account: AccountID, _ wanted: Wanted, _ transaction: Transaction,
        _ outcome: ErrorCode? = nil
    ) throws {
        try transaction.audit(
            kind, account, from: wanted.origin, subject: keys.subject(of: wanted.address),
            outcome: outcome)
    }
}
