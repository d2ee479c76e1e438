import Contracts
import Cryptography
import Messages
import ServiceRuntime
import Storage

/// Proofs by a second factor or a recovery code of an account: at a sign-in that waits for it, and as a
/// recent proof. Each is compared in the transaction that uses it up, where its caller
/// also counts a wrong one.
///
///     proof                               right if
///     code of an authenticator app        it is of the current step, or one to either side, of one of
///                                         the account's apps, and no code of that step or a later one
///                                         was right before
///     recovery code                       it is one of the account's that are left
///
/// A right one also ends a removal of the factors that support has begun: nothing is lost.
struct FactorProof: AccountWriting, Sendable {
    let settings: IdentitySettings
    let writer: AccountWriter

    /// A proof as a person typed it.
    enum Shown: Hashable, Sendable {
        /// Nil when it is not in the format of one.
        case totp(TOTPCode?)
        /// Nil when it is not in the format of one.
        case recovery(RecoveryCode?)

        /// A field of a request.
        /// - Precondition: the kind is a factor.
        init(_ kind: SecondProofKind, typed: SecretBytes) {
            switch kind {
            case .totp: self = .totp(TOTPCode(typed: typed))
            case .recoveryCode: self = .recovery(RecoveryCode(typed: typed))
            case .passkey, .phone, .email, .password, .provider:
                preconditionFailure("\(kind.rawValue) is no factor")
            }
        }

        /// What a repeat of the call with the same idempotency key must prove too: a keyed hash, from
        /// which nobody without the key learns the code.
        func evidence(_ keys: IdentityKeys) -> [UInt8] {
            var message: [UInt8] = []
            // No copy is left behind by growing.
            message.reserveCapacity(Self.evidenceBytesMax)
            defer { wipe(&message) }
            switch self {
            case .totp(let code):
                message += "totp\0".utf8
                code?.withBytes { message += $0 }
            case .recovery(let code):
                message += "recovery\0".utf8
                code?.withBytes { message += $0 }
            }
            return keys.challenges.lookUpKey(message)
        }

        /// The name of a kind, and the longest code.
        private static let evidenceBytesMax = 32
    }

    /// Uses a proof up.
    /// - Parameters:
    ///   - row: The account, of which the transaction is about.
    ///   - device: Of the call, for the notice.
    /// - Returns: whether it was right. Only then anything is written.
    /// - Throws: `SQLError`; if the account's rows do not open, or sealing a notice fails.
    func use(
        _ shown: Shown, of row: AccountRow, on device: DeviceShown, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> Bool {
        let isRight =
            switch shown {
            case .totp(let code): try code.map { try use($0, of: row, transaction) }
            case .recovery(let code):
                try code.map { try use($0, of: row, on: device, from: origin, transaction) }
            }
        guard isRight ?? false else { return false }
        try SecondFactorReset(settings: settings, writer: writer)
            .cancel(of: row.account, from: origin, transaction)
        return true
    }

    /// All apps are compared, so that the time does not tell which one is right.
    private func use(
        _ code: TOTPCode, of row: AccountRow, _ transaction: Transaction
    ) throws -> Bool {
        let vault = try reader.vault(row)
        var found: (factor: SecondFactorRow, step: Int64)?
        for factor in try transaction.secondFactors(of: row.account) {
            guard let app = try factor.app(vault) else { continue }
            let step = TOTP.step(of: code, app.secret, at: transaction.at, after: factor.lastStep)
            if let step, found == nil { found = (factor, step) }
        }
        guard let found else { return false }
        return try transaction.use(found.step, of: found.factor)
    }

    /// Without a factor its codes are none: they are deleted with the last one.
    private func use(
        _ code: RecoveryCode, of row: AccountRow, on device: DeviceShown, from origin: CallOrigin,
        _ transaction: Transaction
    ) throws -> Bool {
        let account = row.account
        guard try transaction.useRecoveryCode(code.lookUpKey(in: account, keys), of: account)
        else { return false }
        try transaction.audit(.recoveryCodeUsed, account, from: origin)
        let left = try transaction.recoveryCodes(of: account)
        if left < RecoveryCode.few {
            try notices.write(
                .recoveryCodesLow, to: row, device, with: [.count(left)], transaction)
        } else {
            try notices.write(
                .recoveryCodeUsed, to: row, device, with: [.count(left)], transaction)
        }
        return true
    }
}
