import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("A-01: the app's name in the audit trail", .timeLimit(.minutes(1)))
struct AppNameTests {
    private func context(_ app: String?, application: String = "web") -> CallContext {
        var metadata = Metadata()
        metadata[Metadata.Key.app] = app
        return CallContext(
            application: application, deadline: .seconds(1), metadata: metadata,
            mayAssertClientAddress: true)
    }

    /// The context of a call by an app.
    private func context(_ fixture: GatewayFixture, _ app: String) -> CallContext {
        var context = fixture.context(application: "web")
        context.metadata[Metadata.Key.app] = app
        return context
    }

    @Test("A-01: only the web service names an app, and only as the apps file can")
    func names() throws {
        #expect(context("shop-web2").app == "shop-web2")
        #expect(
            try context("shop-web2").onward(for: AuthDescription.signUpWithPassword).metadata.app
                == "shop-web2")
        #expect(context(String(repeating: "a", count: 32)).app != nil)
        for application in ["app", "billing", "tool", ""] {
            #expect(context("shop-web", application: application).app == nil)
        }
        let others = [nil, "", "Shop", "a b", "é", "a_b", String(repeating: "a", count: 33)]
        for name in others { #expect(context(name).app == nil) }
    }

    @Test("A-01: the app is in the events of a sign-up and of a sign-in, in both trails")
    func trails() async throws {
        let fixture = try await GatewayFixture()
        let inner = fixture.inner
        _ = try await fixture.signUp(in: context(fixture, "shop-web"))
        for store in [inner.identityStore, inner.sessionStore] {
            #expect(try await inner.count(store, "audit", where: "app = 'shop-web'") > 0)
            #expect(try await inner.count(store, "audit", where: "app = 'shop-ios'") == 0)
        }
        _ = try await fixture.signIn(in: context(fixture, "shop-ios"))
        #expect(try await inner.count(inner.sessionStore, "audit", where: "app = 'shop-ios'") > 0)
        _ = try await refusal {
            try await fixture.signIn(password: "Wrong8Horses", in: context(fixture, "blog"))
        }
        #expect(try await inner.count(inner.identityStore, "audit", where: "app = 'blog'") > 0)
    }

    @Test("R-03: new accounts of an app share a limit, and another app has its own")
    func limit() async throws {
        let fixture = try await GatewayFixture()
        _ = try await fixture.signUp(in: context(fixture, "shop-web"))
        let unused = try fixture.inner.left("new-account-by-app", "shop-ios")
        #expect(unused > 100)
        #expect(try fixture.inner.left("new-account-by-app", "shop-web") == unused - 1)
    }
}
