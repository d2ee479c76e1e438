import CallRecords
import ServiceRuntime
import Storage

/// What every way of signing in leaves in its transaction (G-08): the moment, the device, and where
/// the device is new a record of it and a mail to the owner (N-01).
struct SignInRecorder: Sendable {
    let parts: IdentityParts

    /// Notes a sign-in.
    /// - Parameters:
    ///   - before: when the sign-in before this one was; nil for the first.
    ///   - method: "password", "phone", or a provider's name.
    func note(
        _ account: AccountID, before: Timestamp?, by method: String, on device: SignInDevice,
        from origin: CallOrigin, _ transaction: Transaction
    ) throws -> SignInNews {
        try transaction.setLastSignIn(account)
        let isNew = try remember(device, of: account, transaction)
        if isNew { try tell(account, method, device, origin, transaction) }
        return SignInNews(before: before, at: transaction.at, isNewDevice: isNew)
    }

    /// Notes the device that an account was made on: it is the first, and no news.
    func remember(
        _ device: SignInDevice, of account: AccountID, _ transaction: Transaction
    ) throws -> Bool {
        guard let key = device.key(in: account, parts.keys) else { return false }
        return try transaction.remember(key, of: account)
    }

    /// Attack: somebody signs up with a stranger's address and signs in from ever new devices, to have
    /// our mails sent there. So only a proved address is told.
    private func tell(
        _ account: AccountID, _ method: String, _ device: SignInDevice, _ origin: CallOrigin,
        _ transaction: Transaction
    ) throws {
        try transaction.audit(AuditEvent(.newDevice, account: account.key).from(origin))
        guard parts.settings.tellsNewDevices,
            try transaction.account(account)?.address?.provedAt != nil
        else { return }
        try NoticeMail(parts: parts).write(
            .newDevice, to: account, device.shown, naming: [method],
            at: transaction.at.milliseconds, key: IdentityOutbox(parts: parts).newKey(),
            transaction)
    }
}
