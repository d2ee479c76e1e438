import Contracts
import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-36: the message of an invalid access token says what is wrong with it")
struct AccessTokenFaultTests {
    /// Three parts of base64url.
    private static let foreign = "e30.e30.AAAA"

    private static func sentence(_ error: ServiceError) -> String? {
        error.code == .invalidAccessToken && error.fields == ["authorization"]
            ? error.violations.first?.userMessage : nil
    }

    @Test("by what session knows of it")
    func states() {
        let unknown = SessionV1.InspectSessionResponse()
        #expect(
            Self.sentence(unknown.refusal(of: Self.foreign)) == AccessTokenFault.foreign.rawValue)
        for text in ["", "x", "a.b.c", String(repeating: "a", count: 5_000)] {
            #expect(
                Self.sentence(unknown.refusal(of: text)) == AccessTokenFault.malformed.rawValue)
        }
        let live = SessionV1.InspectSessionResponse(known: true, live: true)
        #expect(Self.sentence(live.refusal(of: Self.foreign)) == AccessTokenFault.expired.rawValue)
        let ended = SessionV1.InspectSessionResponse(known: true, endReason: .signedOut)
        #expect(ended.refusal(of: Self.foreign).code == .sessionEnded)
        let optional = unknown.refusal(of: Self.foreign, unknown: .sessionEnded)
        #expect(optional.code == .sessionEnded && optional.violations.isEmpty)
    }

    @Test("through the gateway: absent, malformed, not ours, and expired")
    func calls() async throws {
        let fixture = try await GatewayFixture()
        let ada = try await fixture.signUp()
        func sentence(_ token: String?) async throws -> String? {
            let error = try await refusal {
                try await fixture.methods.listSignInMethods(
                    .init(), fixture.context().bearing(token))
            }
            return Self.sentence(error)
        }
        #expect(try await sentence(nil)?.hasPrefix("It is absent") == true)
        #expect(try await sentence("x") == AccessTokenFault.malformed.rawValue)
        #expect(try await sentence(Self.foreign) == AccessTokenFault.foreign.rawValue)
        fixture.time.advance(by: .seconds(3_600))
        #expect(
            try await sentence(ada.session.accessToken) == AccessTokenFault.expired.rawValue)
    }
}
