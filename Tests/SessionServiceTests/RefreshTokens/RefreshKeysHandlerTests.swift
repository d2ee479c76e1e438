import Messages
import ServiceRuntime
import TestSupport
import Testing

@testable import SessionService

@Suite("G-10: operators list and rotate the keys of refresh tokens")
struct RefreshKeysHandlerTests {
    private static let day: Duration = .seconds(86_400)
    let fixture: SessionFixture

    init() async throws {
        fixture = try await SessionFixture(flags: ["--session-limits", "anon=30d/90d"])
    }

    private func list() async throws -> [SessionV1.RefreshKey] {
        try await fixture.service.refreshKeys.listRefreshKeys(
            .init(), fixture.context(from: "tool")
        ).keys
    }

    private func rotate() async throws -> [SessionV1.RefreshKey] {
        try await fixture.service.refreshKeys.rotateRefreshKey(
            .init(), fixture.context(from: "tool")
        ).keys
    }

    @Test("a rotated key is listed with the end of its acceptance, and no user is signed out")
    func rotated() async throws {
        let tokens = try await fixture.open()
        let first = try #require(try await list().first)
        #expect(first.keyId == 1 && first.supersededAtMs == 0 && first.acceptedUntilMs == 0)
        fixture.time.advance(by: Self.day)
        let now = fixture.time.now()
        let keys = try await rotate()
        #expect(keys.map(\.keyId) == [2, 1])
        #expect(keys[0].madeAtMs == now.milliseconds && keys[0].supersededAtMs == 0)
        let start = now + RefreshTokenKeys.announcedFor
        #expect(keys[1].supersededAtMs == start.milliseconds)
        #expect(keys[1].acceptedUntilMs == (start + Self.day * 90).milliseconds)
        let child = try await fixture.refresh(tokens.refreshToken)
        _ = try await fixture.refresh(child.refreshToken)
    }

    @Test("two keys made at the same time are listed in the order of their making")
    func order() async throws {
        _ = try await rotate()
        #expect(try await rotate().map(\.keyId) == [3, 2, 1])
    }

    @Test("a key that is due is made even without sign-ins or refreshes")
    func idle() async throws {
        fixture.time.advance(by: Self.day * 31)
        let (service, time) = (fixture.service, fixture.time)
        let work = Task { try await service.background.run() }
        let isMade = try await eventually(every: .milliseconds(1)) {
            time.advance(by: .seconds(1))
            return try await list().map(\.keyId) == [2, 1]
        }
        work.cancel()
        _ = await work.result
        #expect(isMade)
    }

    @Test("only the operator's tool has access", arguments: ["gateway", "identity", "app", ""])
    func strangers(application: String) async throws {
        await expectRefused(.permissionDenied) {
            try await fixture.service.refreshKeys.listRefreshKeys(
                .init(), fixture.context(from: application))
        }
        await expectRefused(.permissionDenied) {
            try await fixture.service.refreshKeys.rotateRefreshKey(
                .init(), fixture.context(from: application))
        }
        #expect(try await list().count == 1)
    }
}
