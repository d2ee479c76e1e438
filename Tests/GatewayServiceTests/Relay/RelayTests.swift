import Contracts
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import GatewayService

@Suite("Calls that the gateway passes on to the service that implements them")
struct RelayTests {
    private static func context(
        _ metadata: [(String, String)], application: String = "web", mayAssert: Bool = true
    ) -> CallContext {
        CallContext(
            application: application, deadline: .seconds(1),
            metadata: Metadata(metadata.map { .init(key: $0.0, value: Array($0.1.utf8)) }),
            mayAssertClientAddress: mayAssert)
    }

    private static func relayed(
        _ context: CallContext, to method: MethodDescription = DocumentsDescription.writeDocument
    ) throws -> [String: String] {
        let onward = try context.onward(for: method)
        #expect(onward.application.isEmpty && !onward.mayAssertClientAddress)
        return Dictionary(
            uniqueKeysWithValues: onward.metadata.entries.map {
                ($0.key, String(decoding: $0.value, as: UTF8.self))
            })
    }

    @Test("the metadata are written anew, from what the gateway has checked")
    func metadata() throws {
        let all = [
            ("authorization", "bearer a.b.c"), ("client-address", "192.0.2.7"),
            ("app", "shop-web"), ("app-without", "reset,haiku,guests"),
            ("accept-language", "de-AT, en;q=0.5"), ("traceparent", "00-1"),
            ("paid-units", "1000"), ("attempt", "2"), ("application-token", "x.y.z"),
            ("application", "tool"), ("anything", "else"), ("charge", "1k"),
        ]
        let expected = [
            "authorization": "Bearer a.b.c", "client-address": "192.0.2.7", "app": "shop-web",
            "app-without": "guests,reset", "accept-language": "de", "traceparent": "00-1",
        ]
        #expect(try Self.relayed(Self.context(all)) == expected)
        // Another application cannot name an app, and one that is not permitted no address.
        let other = try Self.relayed(
            Self.context(all, application: "billing", mayAssert: false))
        #expect(other["app"] == nil && other["client-address"] == nil)
        #expect(other["app-without"] == nil)
        // A method that does not read the token does not get it.
        let backend = try Self.relayed(
            Self.context(all), to: BackendDocumentsDescription.readAccountDocument)
        #expect(backend["authorization"] == nil)
    }

    @Test("I-09: a method for named callers only gets the application that calls, as checked here")
    func application() throws {
        let metadata = [
            ("authorization", "Bearer a.b.c"), ("application", "tool"), ("application", "eve"),
        ]
        for method in ServiceDescription.ofGateway.flatMap(\.methods) where method.owner != nil {
            let onward = try Self.relayed(
                Self.context(metadata, application: "support"), to: method)
            let expected = method.isForNamedCallersOnly ? "support" : nil
            #expect(onward["application"] == expected, "\(method.name)")
        }
    }

    @Test("an idempotency key is bound to the application and the method; reads have none")
    func keys() throws {
        func key(
            _ application: String, _ method: MethodDescription
        ) throws -> String? {
            try Self.relayed(
                Self.context(
                    [("authorization", "Bearer t"), ("idempotency-key", "k")],
                    application: application), to: method)["idempotency-key"]
        }
        let keys = [
            try key("app", DocumentsDescription.writeDocument),
            try key("app", DocumentsDescription.writeDocuments),
            try key("web", DocumentsDescription.writeDocument),
        ]
        #expect(keys.allSatisfy { $0?.count == 64 } && Set(keys).count == 3)
        #expect(try key("app", DocumentsDescription.readDocument) == nil)
        // They are bound to the last part of its name, so no two methods may share that.
        let names = ServiceDescription.ofGateway.flatMap(\.methods).filter { !$0.isIdempotent }
            .map { $0.name.split(separator: "/").last }
        #expect(Set(names).count == names.count)
    }

    @Test(
        "what is missing or malformed is refused before the owner is called",
        arguments: [
            ([], ErrorCode.invalidAccessToken), ([("authorization", "Basic x")], .invalidArgument),
            ([("authorization", "Bearer a"), ("authorization", "Bearer b")], .invalidArgument),
            (
                [("authorization", "Bearer " + String(repeating: "a", count: 4_097))],
                .invalidAccessToken
            ),
            (
                [("authorization", "Bearer a"), ("client-address", "192.0.2.7:80")],
                .invalidArgument
            ), ([("authorization", "Bearer a"), ("idempotency-key", "")], .invalidArgument),
        ] as [([(String, String)], ErrorCode)])
    func refused(metadata: [(String, String)], code: ErrorCode) throws {
        let error = #expect(throws: ServiceError.self) {
            try Self.relayed(Self.context(metadata))
        }
        #expect(error?.code == code)
    }

    @Test("a token that is too long is refused as one that is not ours, as the session option says")
    func tooLong() throws {
        let token = String(repeating: "a", count: 4_097)
        let context = Self.context([("authorization", "Bearer \(token)")])
        for (method, code) in [
            (AccountDeletionDescription.getDeletion, .invalidAccessToken),
            (AccountDeletionDescription.cancelDeletion, .sessionEnded),
        ] as [(MethodDescription, ErrorCode)] {
            let error = #expect(throws: ServiceError.self) {
                try Self.relayed(context, to: method)
            }
            #expect(error?.code == code)
        }
    }

    @Test("a method that nobody serves, and one that is served twice, are named at the start")
    func mistakes() async throws {
        let fixture = try await GatewayFixture()
        let relay = Relay(
            owners: [.identity: fixture.inner.identityOwner()],
            tokens: TokenAccounts(sessions: fixture.inner.session, time: fixture.time),
            limits: fixture.limiter)
        func method(_ name: String, _ owner: MethodDescription.Owner?) -> MethodDescription {
            MethodDescription(
                name: "test.S/\(name)", isIdempotent: false, timeout: .seconds(1),
                isOnLoop: false, session: .required, owner: owner)
        }
        let methods = [
            method("Nobody", nil), method("Composed", nil), method("Passed", .identity),
            method("Twice", .identity), method("OfAnAbsentOwner", .session),
        ]
        let service = ServiceDescription(name: "test.S", methods: methods, fileDescriptors: [])
        let composed = [methods[1], methods[3]].map { method in
            MethodHandler.async(method) { (_: GatewayV1.GetProfileRequest, _) in
                GatewayV1.GetProfileResponse()
            }
        }
        let error = #expect(throws: Relay.Mistake.self) {
            try relay.completing([ServiceMethods(service, composed)], of: [service])
        }
        #expect(error?.methods == ["test.S/Nobody", "test.S/Twice", "test.S/OfAnAbsentOwner"])
    }
}
