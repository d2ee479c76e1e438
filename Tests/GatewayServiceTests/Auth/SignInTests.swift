import Contracts
import Messages
import RPC
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import GatewayService

@Suite("G-03: a user signs in with email and password", .timeLimit(.minutes(1)))
struct SignInTests {
    let fixture: GatewayFixture

    init() async throws {
        fixture = try await GatewayFixture()
        // The guesses come from other devices: this one is known because the account was created on
        // it.
        _ = try await fixture.signUp(device: "first")
    }

    /// Tries a wrong password and expects `invalidCredential`.
    private func guess(
        _ email: String = "ada@example.org", device: String = "d1", in context: CallContext? = nil
    ) async throws {
        let error = try await refusal {
            try await fixture.signIn(email, password: "Wrong8Horses", device: device, in: context)
        }
        #expect(error == ServiceError(.invalidCredential))
    }

    @Test("G-03: the right password returns the account and a new session")
    func answers() async throws {
        let one = try await fixture.signIn("ADA@Example.ORG")
        let two = try await fixture.signIn()
        #expect(one.account.accountId == two.account.accountId)
        #expect(one.session.sessionId != two.session.sessionId)
        #expect(try await fixture.check(one.session.accessToken).authenticated)
    }

    @Test("X-02: an unknown email and a wrong password give the same error, locked or not")
    func sameError() async throws {
        for _ in 0..<5 {
            try await guess(in: fixture.context(address: "192.0.2.8"))
            try await guess("nobody@example.org", in: fixture.context(address: "192.0.2.9"))
        }
        let known = try await refusal {
            try await fixture.signIn(in: fixture.context(address: "192.0.2.8"))
        }
        let unknown = try await refusal {
            try await fixture.signIn(
                "nobody@example.org", in: fixture.context(address: "192.0.2.9"))
        }
        #expect(known == unknown)
        #expect(known.code == .tooManyRequests)
    }

    @Test("R-03: after five wrong passwords in 15 minutes, sign-in waits until the first expires")
    func sixth() async throws {
        for _ in 0..<5 {
            try await guess()
            fixture.time.advance(by: .seconds(60))
        }
        // The right password is limited too. Otherwise the response would reveal that it is right.
        let error = try await refusal { try await fixture.signIn() }
        #expect(error.code == .tooManyRequests && error.retryAfter == .seconds(600))
        #expect(error.sentence == "Too many attempts. Please wait 10 minutes before trying again.")
        fixture.time.advance(by: .milliseconds(599_999))
        let late = try await refusal { try await fixture.signIn() }
        #expect(late.code == .tooManyRequests && late.retryAfter == .milliseconds(1))
        fixture.time.advance(by: .milliseconds(1))
        _ = try await fixture.signIn()
    }

    @Test("R-03: the right password refunds its charge")
    func refunded() async throws {
        for _ in 0..<4 { try await guess() }
        for _ in 0..<10 { _ = try await fixture.signIn() }
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 1)
        #expect(try fixture.inner.left("failed-sign-in-by-address", "192.0.2.7") == 46)
        #expect(try fixture.inner.left("failed-sign-in-by-device", "192.0.2.7|d1") == 1)
        try await guess()
        #expect(try await refusal { try await fixture.signIn() }.code == .tooManyRequests)
    }

    @Test("R-03: the limit of an account holds across addresses and spellings of its email")
    func byAccount() async throws {
        for number in 1...5 {
            let context = fixture.context(address: "198.51.100.\(number)")
            try await guess(
                number.isMultiple(of: 2) ? "ADA@example.org" : "ada@EXAMPLE.org", in: context)
        }
        let error = try await refusal {
            try await fixture.signIn(in: fixture.context(address: "198.51.100.6"))
        }
        #expect(error.code == .tooManyRequests)
    }

    @Test("R-03: an attacker who locks an account by guessing does not lock out its owner")
    func knownDevice() async throws {
        _ = try await fixture.signIn(device: "owner's phone")
        for number in 0..<20 {
            _ = try await refusal {
                try await fixture.signIn(
                    password: "Wrong8Horses", device: "stranger-\(number)",
                    in: fixture.context(address: "198.51.100.\(number)"))
            }
        }
        let elsewhere = try await refusal {
            try await fixture.signIn(
                device: "new", in: fixture.context(address: "203.0.113.1"))
        }
        #expect(elsewhere.code == .tooManyRequests)
        _ = try await fixture.signIn(device: "owner's phone")
        let stolen = fixture.context(address: "198.51.100.99")
        for _ in 0..<5 { try await guess(device: "owner's phone", in: stolen) }
        #expect(
            try await refusal { try await fixture.signIn(device: "owner's phone", in: stolen) }.code
                == .tooManyRequests)
    }

    @Test("R-03: a device may fail with five emails; other devices at its address are not limited")
    func byDevice() async throws {
        for number in 1...5 { try await guess("user\(number)@example.org") }
        let error = try await refusal { try await fixture.signIn("user6@example.org") }
        #expect(error.code == .tooManyRequests)
        try await guess("user6@example.org", device: "d2")
    }

    @Test("R-03: an address may fail 50 times, whatever devices it names; IPv6 counts by /64")
    func byAddress() async throws {
        for number in 1...50 {
            let context = fixture.context(address: "2001:db8:1:2::\(number)")
            try await guess("user\(number)@example.org", device: "d\(number)", in: context)
        }
        let error = try await refusal {
            try await fixture.signIn(
                device: "d51", in: fixture.context(address: "2001:db8:1:2:ffff::"))
        }
        #expect(error.code == .tooManyRequests)
        _ = try await fixture.signIn(in: fixture.context(address: "2001:db8:1:3::1"))
    }

    @Test("R-03: of 50 parallel guesses only five reach password verification")
    func parallel() async throws {
        let codes = await withTaskGroup(of: ErrorCode?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try? await refusal { try await fixture.signIn(password: "Wrong8Horses") }.code
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.filter { $0 == .invalidCredential }.count == 5)
        #expect(codes.filter { $0 == .tooManyRequests }.count == 45)
    }

    @Test("B6: parallel right passwords that exhaust the limit wait a second at most")
    func inFlight() async throws {
        let waits = await withTaskGroup(of: Duration?.self) { group in
            for number in 0..<20 {
                group.addTask {
                    do {
                        _ = try await fixture.signIn(device: "new-\(number)")
                    } catch let error as ServiceError where error.code == .tooManyRequests {
                        return error.retryAfter
                    } catch {
                        return .seconds(3_600)
                    }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(waits.allSatisfy { $0 ?? .zero <= .seconds(1) }, "\(waits)")
        _ = try await fixture.signIn(device: "late")
    }

    @Test("B6: once attempts have failed, the error gives the full wait")
    func decided() async throws {
        for number in 0..<5 { try await guess(device: "new-\(number)") }
        let error = try await refusal { try await fixture.signIn(device: "late") }
        #expect(error.retryAfter == .seconds(900))
    }

    @Test("G-03: a disabled account is reported only with the right password, at no charge")
    func disabled() async throws {
        try await fixture.inner.setStatus(2)
        try await guess()
        for _ in 0..<10 {
            #expect(try await refusal { try await fixture.signIn() }.code == .accountDisabled)
        }
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 4)
    }

    @Test("G-03: if the session service is down, the right password is not a failed guess (X-07)")
    func sessionDown() async throws {
        fixture.inner.sessionStore.close()
        for _ in 0..<6 {
            await #expect(throws: (any Error).self) { try await fixture.signIn() }
        }
        #expect(try fixture.inner.left("failed-sign-in-by-account", "ada@example.org") == 5)
    }

    @Test("G-03: an invalid email is rejected as such and is not charged", arguments: ["", "ada@"])
    func noEmail(email: String) async throws {
        for _ in 0..<6 {
            let error = try await refusal { try await fixture.signIn(email) }
            #expect(error == ServiceError(.invalidEmail, fields: ["email"]))
        }
        #expect(try fixture.inner.left("failed-sign-in-by-address", "192.0.2.7") == 50)
    }

    @Test(
        "G-03: the fields of a device have maximum lengths",
        arguments: [
            (128, 32, 256, nil), (129, 32, 256, "device.device_id"),
            (128, 33, 256, "device.platform"), (128, 32, 257, "device.name"),
        ] as [(Int, Int, Int, String?)])
    func device(id: Int, platform: Int, name: Int, refused: String?) async throws {
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        let request = GatewayV1.SignInWithPasswordRequest(
            email: "ada@example.org", password: "Correct7Horse",
            device: .init(deviceId: text(id), platform: text(platform), name: text(name)))
        guard let refused else {
            _ = try await fixture.auth.signInWithPassword(request, fixture.context())
            return
        }
        let error = try await refusal {
            try await fixture.auth.signInWithPassword(request, fixture.context())
        }
        #expect(error.code == .invalidArgument && error.fields == [refused])
        #expect(error.violations.first?.userMessage.hasPrefix("Use at most ") == true)
    }

    @Test(
        "S-04: an invalid device key is refused, and its public field is named",
        arguments: [
            (.unspecified, 32, "device.key.kind"), (.ed25519, 31, "device.key.public_key"),
            (.ed25519, 32, "device.key.possession"),
        ] as [(GatewayV1.DeviceKeyKind, Int, String)])
    func deviceKey(kind: GatewayV1.DeviceKeyKind, bytes: Int, refused: String) async throws {
        let key = GatewayV1.DeviceKey(
            kind: kind, publicKey: [UInt8](repeating: 7, count: bytes),
            possession: [UInt8](repeating: 7, count: 64))
        let error = try await refusal {
            try await fixture.auth.signInWithPassword(
                .init(
                    email: "ada@example.org", password: "Correct7Horse",
                    device: .init(deviceId: "d1", platform: "ios", key: key)), fixture.context())
        }
        #expect(error.code == .invalidDeviceKey && error.fields == [refused])
    }
}
