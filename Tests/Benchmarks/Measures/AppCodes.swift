import Cryptography
import Messages
import ServiceRuntime
import Synchronization

/// The codes of a person's authenticator app, each of which works once.
final class AppCodes: Sendable {
    /// Codes that work now, after the one that confirms the app: that of the present step, and the
    /// next one.
    static let atOnce = 2

    private let secret: SecretBytes
    /// The step of the latest code: at first the one before the present step.
    private let step: Mutex<Int64>

    init(of begun: GatewayV1.BeginTOTPResponse) {
        secret = SecretBytes(copying: Base32.decodeLeniently(begun.secret) ?? [])
        step = Mutex(Self.now - 1)
    }

    /// The latest code.
    var used: SecretBytes { code(step.withLock { $0 }) }

    /// A code that was not used; nil until the next step.
    func next() -> SecretBytes? {
        let now = Self.now
        let next = step.withLock { step -> Int64? in
            let next = max(step + 1, now)
            guard next <= now + 1 else { return nil }
            step = next
            return next
        }
        return next.map(code)
    }

    private static var now: Int64 { TOTP.step(at: SystemTime().now()) }

    private func code(_ step: Int64) -> SecretBytes {
        var code = TOTP.code(of: secret, at: step)
        return SecretBytes(taking: &code)
    }
}
