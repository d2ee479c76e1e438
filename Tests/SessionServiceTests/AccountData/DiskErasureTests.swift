import Contracts
import Foundation
import Messages
import ServiceRuntime
import Storage
import TestSupport
import Testing

@testable import SessionService

@Suite("G-20: what a store's files keep", .enabled(if: TestStore.runs("Disk*")))
struct DiskErasureTests {
    @Test("G-20: seconds later nothing of a forgotten session is in the store's files")
    func files() async throws {
        let fixture = try await SessionFixture()
        let account = try fixture.account()
        let platform = "canary-9X7"
        let device = GatewayV1.Device(deviceId: "d1", platform: platform)
        _ = try await fixture.service.sessions.createSession(
            .init(proof: fixture.proof(account), device: device), fixture.context())
        func isInFiles() -> Bool {
            ["", "-wal"].contains { end in
                let file = fixture.store.location + end
                let bytes = FileManager.default.contents(atPath: file)
                return bytes?.range(of: Data(platform.utf8)) != nil
            }
        }
        #expect(isInFiles())
        _ = try await fixture.service.accountData.forgetAccountData(
            .init(subject: .init(accountId: account.text)), fixture.context(from: "identity"))
        try await fixture.service.accountData.log.truncate()
        #expect(!isInFiles())
    }
}
