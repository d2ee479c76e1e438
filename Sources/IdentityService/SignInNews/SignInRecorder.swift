import ServiceRuntime
import Storage

/// Records a sign-in, by any method, in its transaction (G-08): the time and the device. A new
/// device is also written to the audit log and mailed to the owner (N-01).
struct SignInRecorder: Sendable {
    let parts: IdentityParts

    /// Records a sign-in.
    /// - Parameters:
    ///   - before: time of the previous sign-in; nil for the first.
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

    /// Records the device of a registration. It is the account's first device, so no mail is sent.
    func remember(
        _ device: SignInDevice, of account: AccountID, _ transaction: Transaction
    ) throws -> Bool {
        guard let key = device.key(in: account, parts.keys) else { return false }
        return try transaction.remember(key, of: account)
    }

    /// Attack: somebody registers with another person's address and signs in from many new devices,
    /// to make the service send mail there. Only a verified address therefore gets the mail.
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
