import Contracts
import Messages
import ServiceRuntime
import Storage

/// What a reset by a mailed link writes (G-11): at once, or with the second proof of the sign-in.
struct PasswordReset: AccountWriting {
    let settings: IdentitySettings
    let answers: AccountAnswers

    var writer: AccountWriter { answers.writer }

    /// What a reset wrote.
    struct Done: Sendable {
        /// With the account after it.
        let admitted: AdmittedSignIn
        let history: SignInHistory
        /// Whether devices that are known under the email are not the owner's: the address was
        /// unverified, or there was no password.
        let forgetsDevices: Bool
        /// The guest that made the call.
        let guest: SettledGuest?
    }

    /// - Parameters:
    ///   - hash: The sealed hash of the new password.
    ///   - admitted: With the account before it.
    ///   - caller: The session that made the call; nil outside of one.
    /// - Throws: `rpc/internal` if the address is not verified afterwards; as `GuestDocuments.settle`.
    func write(
        _ hash: [UInt8], of admitted: AdmittedSignIn, on device: SignInDevice,
        from origin: CallOrigin, guest caller: CallingSession?, _ transaction: Transaction
    ) throws -> Done {
        let row = admitted.row
        let forgetsDevices =
            try row.address?.provedAt == nil
            || transaction.passwordHolder(row.account)?.sealedHash == nil
        let history = try set(hash, of: row, on: device, from: origin, transaction)
        let guest = try writer.guests.settle(
            caller, afterSignInTo: row.account, from: origin, transaction)
        guard let new = try transaction.account(row.account), new.address?.provedAt != nil
        else { throw ServiceError(.internalError, detail: "the address is not verified") }
        try ProfileCompletion(answers: answers).record(
            new, on: device.shown, from: origin, transaction)
        return Done(
            admitted: admitted.afterwards(new), history: history, forgetsDevices: forgetsDevices,
            guest: guest)
    }

    private func set(
        _ hash: [UInt8], of row: AccountRow, on device: SignInDevice, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> SignInHistory {
        let account = row.account
        func audit(_ kind: AuditKind, _ detail: AuditDetail? = nil) throws {
            try transaction.audit(kind, account, detail: detail, from: origin)
        }
        try transaction.removeLinksAfterReset(of: account)
        try transaction.cancelPendingChanges(of: account)
        try transaction.setAddressProved(account)
        // Attack: somebody with the open mailbox requests it by a mailed link and removes the
        // mails.
        if try writer.deletions.cancel(of: account, from: origin, transaction) {
            try notices.deletionCancelled(account, transaction)
        }
        let isTakeover = row.address?.provedAt == nil
        if isTakeover {
            try audit(.emailVerified)
            try Takeover(writer: writer, transaction: transaction)
                .removeIdentities(row, device.shown, origin: origin)
        }
        try transaction.setPassword(account, sealedHash: hash)
        try audit(.passwordReplaced, .password(isTakeover ? .takeover : .reset))
        let history = try SignInRecorder(settings: settings, writer: writer)
            .record(
                account, before: row.lastSignInAt, by: .password, on: device, from: origin,
                transaction)
        try audit(.signInSucceeded, .method(SignInMethod.password.name))
        try transaction.endSessions(of: account, provedUntil: transaction.at, outbox)
        try notices.write(.passwordChanged, to: account, device.shown, transaction)
        return history
    }
}
