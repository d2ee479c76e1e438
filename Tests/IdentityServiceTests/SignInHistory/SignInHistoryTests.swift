import Cryptography
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import IdentityService

@Suite("G-08: what a sign-in reports about the one before", .timeLimit(.minutes(1)))
struct SignInHistoryTests {
    let fixture: IdentityFixture

    init() async throws {
        fixture = try IdentityFixture()
        _ = try await fixture.register()
    }

    /// Signs in from a device. The account was registered from `device-canary`.
    private func signIn(
        on device: String, key: String? = nil
    ) async throws -> IdentityV1.SignInHistory {
        let answer = try await fixture.accounts.verifyPassword(
            .init(
                signIn: .init(
                    email: "ada@example.org", password: "Correct7Horse",
                    device: .init(deviceId: device, platform: "ios", name: "Ada's phone"))),
            fixture.context(key))
        return try #require(answer.history)
    }

    private func proveAddress() async throws {
        try await fixture.change("UPDATE email_addresses SET proved_at_ms = 1")
    }

    private func newDeviceMails() async throws -> [NotificationV1.SendEmailRequest] {
        try await fixture.relay()
        return fixture.notifications.mails.filter { $0.template == "new-device" }
    }

    @Test("a sign-in reports the previous one, the time since, and whether the device is new")
    func told() async throws {
        let registeredAt = fixture.time.now().milliseconds
        fixture.time.advance(by: .seconds(3_600))
        #expect(
            try await signIn(on: "device-canary")
                == .init(
                    lastSignInAtMs: registeredAt, gapMs: 3_600_000, isNewDevice: false))
        fixture.time.advance(by: .seconds(60))
        #expect(
            try await signIn(on: "another")
                == .init(
                    lastSignInAtMs: registeredAt + 3_600_000, gapMs: 60_000, isNewDevice: true))
        #expect(try await signIn(on: "another").isNewDevice == false)
    }

    @Test("G-25: a repeat gets the same report at any later time, and sends no second mail")
    func again() async throws {
        try await proveAddress()
        fixture.time.advance(by: .seconds(60))
        let first = try await signIn(on: "another", key: "k")
        fixture.time.advance(by: .seconds(60))
        #expect(try await signIn(on: "another", key: "k") == first)
        #expect(first.isNewDevice && first.gapMs == 60_000)
        #expect(try await newDeviceMails().count == 1)
    }

    @Test("N-01: the owner is mailed about a new device and the method that it used")
    func mailed() async throws {
        try await proveAddress()
        _ = try await signIn(on: "another")
        _ = try await signIn(on: "another")
        let mails = try await newDeviceMails()
        #expect(mails.count == 1)
        let variables = mails.first?.variables.map { [$0.name, $0.value] }
        #expect(variables?.prefix(2) == [["method", "password"], ["device", "Ada's phone"]])
        #expect(try await fixture.count("audit", where: "kind = 'sign-in.new-device'") == 1)
    }

    @Test("an unproved address gets no new-device mail, since it may be a stranger's")
    func unproved() async throws {
        _ = try await signIn(on: "another")
        #expect(try await newDeviceMails().isEmpty)
        #expect(try await fixture.count("audit", where: "kind = 'sign-in.new-device'") == 1)
    }

    @Test("many new devices send only a limited number of mails")
    func flooded() async throws {
        try await proveAddress()
        for number in 0..<10 { _ = try await signIn(on: "device \(number)") }
        #expect(try await newDeviceMails().count == NoticeRule.noticesMax)
    }

    @Test("N-01: a sign-in without a device id counts as one from a new device, and is not stored")
    func unnamed() async throws {
        try await proveAddress()
        for _ in 0..<10 { #expect(try await signIn(on: "").isNewDevice) }
        #expect(try await fixture.count("known_devices") == 1)
        #expect(try await fixture.count("audit", where: "kind = 'sign-in.new-device'") == 10)
        #expect(try await newDeviceMails().count == NoticeRule.noticesMax)
    }

    @Test(
        "G-13: a proof in the account's own session without a device id is none from a new device")
    func proved() async throws {
        try await proveAddress()
        let account = try #require(try await fixture.signIn().account).accountId
        let token = fixture.devices.open(account)
        for (device, count) in [("", Int64(0)), ("another", 1)] {
            _ = try await fixture.accounts.proveByPassword(
                .init(
                    reauthentication: .init(
                        device: .init(deviceId: device, platform: "ios"),
                        proof: .password("Correct7Horse"))), fixture.relayed(token))
            #expect(
                try await fixture.count("audit", where: "kind = 'sign-in.new-device'") == count)
        }
        #expect(try await newDeviceMails().count == 1)
    }

    @Test("a sign-in without a device id is none from a new device while no device is known")
    func unnamedOnly() async throws {
        try await fixture.change("DELETE FROM known_devices")
        try await proveAddress()
        for _ in 0..<2 { #expect(try await signIn(on: "").isNewDevice == false) }
        #expect(try await newDeviceMails().isEmpty)
    }

    @Test("the first sign-in of an account without known devices counts as no new device")
    func before() async throws {
        try await fixture.change("DELETE FROM known_devices")
        #expect(try await signIn(on: "another").isNewDevice == false)
        #expect(try await signIn(on: "a third").isNewDevice == true)
    }

    @Test("of more than 32 devices the one unused for longest is forgotten")
    func bounded() async throws {
        for number in 0..<40 {
            fixture.time.advance(by: .seconds(1))
            _ = try await signIn(on: "device \(number)")
        }
        #expect(try await fixture.count("known_devices") == Int64(SignInDevice.knownMax))
        #expect(try await signIn(on: "device 39").isNewDevice == false)
        #expect(try await signIn(on: "device 8").isNewDevice == false)
        #expect(try await signIn(on: "device 7").isNewDevice == true)
    }

    @Test("A-02: a device has a different key in each account, and its id is not stored")
    func keyed() async throws {
        _ = try await fixture.register("eve@example.org")
        let keys = try await fixture.store.read {
            try $0.query("SELECT device_key FROM known_devices") { try $0.blob(0) }
        }
        #expect(keys.count == 2 && Set(keys).count == 2)
        #expect(keys.allSatisfy { $0.count == 16 })
    }

    @Test("a stored response is read, also in the form of builds before")
    func stored() throws {
        let history = SignInHistory(
            before: Timestamp(milliseconds: 8), at: Timestamp(milliseconds: 9), isNewDevice: true)
        let account = try #require(AccountID(text: "acc_0000000000007"))
        let collision = GatewayV1.Collision(guest: .init(accountId: "acc_0000000000008"))
        let response = IdentityV1.StoredResponse(
            account: account.key, forgetsDevices: true, authenticatedAtMs: 9, lastSignInAtMs: 8,
            isNewDevice: true, collision: collision)
        #expect(try IdentityV1.StoredResponse(response.bytes) == response)
        #expect(response.history == history)
        let numbers: [Int64] = [account.key, 8, 9, 5 << 8 | 3]
        let former = try IdentityV1.StoredResponse(
            numbers.bigEndianBytes + collision.encoded())
        #expect(former.account == account.key && former.history == history)
        #expect(former.forgetsDevices && former.collision == collision && former.guesses == 5)
        let oldest = try IdentityV1.StoredResponse(
            Array([account.key, 1].bigEndianBytes))
        #expect(oldest.done && oldest.wasGuest && oldest.forgetsDevices)
        #expect(oldest.authenticatedAt == nil && oldest.collision == nil)
        for bytes in [[0], [UInt8](repeating: 0, count: 24), [0xff, 0xff]] {
            #expect(throws: (any Error).self) { try IdentityV1.StoredResponse(bytes) }
        }
    }

    @Test("a clock that was set back gives a gap of zero")
    func clock() {
        let history = SignInHistory(
            before: Timestamp(milliseconds: 2_000), at: Timestamp(milliseconds: 1_000),
            isNewDevice: false)
        #expect(history.message == .init(lastSignInAtMs: 2_000, gapMs: 0))
    }
}
