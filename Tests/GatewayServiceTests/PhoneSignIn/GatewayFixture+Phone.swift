import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService
@testable import IdentityAssembly
@testable import IdentityService

extension GatewayFixture {
    static let number = "+4915112345678"

    /// Requests a code; to sign in with, unless it has another purpose.
    func requestCode(
        _ number: String = number, _ purpose: GatewayV1.PhoneCodePurpose? = nil,
        accessToken: String? = nil, in context: CallContext? = nil
    ) async throws -> GatewayV1.RequestPhoneCodeResponse {
        let context = (context ?? self.context()).bearing(accessToken)
        let device = GatewayV1.Device(deviceId: "d1", platform: "cli")
        guard let purpose else {
            let answer = try await phone.requestSignInCode(
                .init(phoneNumber: number, device: device), context)
            return .init(
                requestId: answer.requestId, expiresAtMs: answer.expiresAtMs,
                attempt: answer.attempt, nextAfterMs: answer.nextAfterMs)
        }
        return try await phone.requestPhoneCode(
            .init(phoneNumber: number, purpose: purpose, device: device), context)
    }

    /// Requests a code and reads it from the sent text.
    func sentCode(
        _ number: String = number, _ purpose: GatewayV1.PhoneCodePurpose? = nil,
        accessToken: String? = nil
    ) async throws -> (request: String, code: String) {
        let answer = try await requestCode(number, purpose, accessToken: accessToken)
        return (answer.requestId, try await inner.phoneCode(to: number))
    }

    /// Reports that a number has changed hands, as the notification service does.
    func changeNumber(_ number: String = number) async throws {
        _ = try await inner.identity.core.phoneSignals.numberChanged(
            .init(phoneNumber: number, toldAtMs: time.now().milliseconds), context())
    }

    /// Signs in with a code.
    func signInByCode(
        _ request: String, _ code: String, _ number: String = number, device: String = "d1",
        guest: String? = nil, in context: CallContext? = nil
    ) async throws -> GatewayV1.SignInWithPhoneCodeResponse {
        try await phone.signInWithPhoneCode(
            .init(
                requestId: request, phoneNumber: number, code: code,
                device: .init(deviceId: device, platform: "cli")),
            (context ?? self.context()).bearing(guest))
    }
}
