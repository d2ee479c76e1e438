import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import RateLimitService

@Suite("R-05, R-06: operators list and rotate keys and list limits", .timeLimit(.minutes(1)))
struct LimitOperationHandlerTests {
    private func context(_ application: String, _ fixture: LimitsFixture) -> CallContext {
        CallContext(application: application, deadline: fixture.time.uptime() + .seconds(10))
    }

    @Test(
        "R-05: only the operator's tool may rotate or list", arguments: ["gateway", "app", ""])
    func others(application: String) async throws {
        let fixture = try await LimitsFixture()
        let operations = fixture.service.operations
        let context = context(application, fixture)
        await #expect(throws: CallContext.onlyOperators) {
            _ = try await operations.rotateSubjectKey(.init(), context)
        }
        await #expect(throws: CallContext.onlyOperators) {
            _ = try await operations.listSubjectKeys(.init(), context)
        }
        await #expect(throws: CallContext.onlyOperators) {
            _ = try await operations.listLimits(.init(), context)
        }
        #expect(fixture.service.subjectKeys.ring.number == 0)
    }

    @Test("R-05: keys are listed by number and time, the newest first")
    func keys() async throws {
        let fixture = try await LimitsFixture()
        let operations = fixture.service.operations
        let rotated = try await operations.rotateSubjectKey(.init(), context("tool", fixture)).keys
        let now = fixture.time.now().milliseconds
        #expect(rotated.map(\.number) == [1, 0])
        #expect(rotated.map(\.sinceMs) == [now, 0])
        #expect(rotated.map(\.untilMs) == [0, now])
        let listed = try await operations.listSubjectKeys(.init(), context("tool", fixture)).keys
        #expect(listed == rotated)
    }

    @Test("R-06: each limit is listed with its policy and the settings that the file can have")
    func limits() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "sign-up-by-address-count: 9\nfailed-sign-in-by-device-shadow: true\n",
            to: "limits.yaml")
        let fixture = try await LimitsFixture(flags: ["--limits-file=\(path)"])
        let operations = fixture.service.operations
        let limits = try await operations.listLimits(.init(), context("tool", fixture)).limits
        #expect(limits.map(\.name) == LimitName.allCases.map(\.rawValue).sorted())
        let signUp = try #require(limits.first { $0.name == "sign-up-by-address" })
        #expect(signUp.changed && !signUp.shadow && signUp.rule == "9 in 1h")
        #expect(signUp.settings.first == "sign-up-by-address-count: 9")
        let country = try #require(limits.first { $0.name == "phone-code-by-country" })
        #expect(country.rule == "1000 in 1h, half of them at once")
        let device = try #require(limits.first { $0.name == "failed-sign-in-by-device" })
        #expect(!device.changed && device.shadow && device.durable)
        let mark = try #require(limits.first { $0.name == "known-device" })
        #expect(mark.internal && mark.settings.isEmpty)
    }
}
