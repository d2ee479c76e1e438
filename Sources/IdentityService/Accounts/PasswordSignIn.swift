import Contracts
import ServiceRuntime
import Storage

/// What a sign-in with a right password, or with a passkey, writes: at once, or with its second
/// proof.
struct PasswordSignIn: AccountWriting {
    let settings: IdentitySettings
    let answers: AccountAnswers

    var writer: AccountWriter { answers.writer }

    /// - Parameters:
    ///   - method: The one of the first proof.
    ///   - upgrade: A stronger sealed hash of the same password; nil for none.
    ///   - subject: Keyed hash of the account's address, for the audit trail.
    ///   - caller: The session that made the call; nil outside of one.
    /// - Returns: what the sign-in reports about the previous one, and the guest that made the call.
    /// - Throws: as `GuestDocuments.settle`.
    func write(
        _ row: AccountRow, by method: SignInMethod, upgrade: [UInt8]?, on device: SignInDevice,
        from origin: CallOrigin,
        subject: [UInt8]?, guest caller: CallingSession?, _ transaction: Transaction
    ) throws -> (history: SignInHistory, guest: SettledGuest?) {
        let account = row.account
        if let upgrade { try transaction.upgradePassword(account, sealedHash: upgrade) }
        let history = try SignInRecorder(settings: settings, writer: writer)
            .record(
                account, before: row.lastSignInAt, by: method, on: device, from: origin,
                transaction)
        try transaction.audit(
            .signInSucceeded, account, detail: .method(method.name), from: origin,
            subject: subject)
        try ProfileCompletion(answers: answers).record(
            row, on: device.shown, from: origin, transaction)
        let guest = try writer.guests.settle(
            caller, afterSignInTo: account, from: origin, transaction)
        return (history, guest)
    }
}
