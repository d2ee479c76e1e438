import Contracts
import HTTPTypes
import Messages
import NIOCore
import RPC
import ServiceRuntime
import TestSupport
import Testing

@testable import WebService

@Suite("Methods that clients can call")
struct CallMethodsTests {
    @Test("W-01: every method of the gateway can be called, and health and reflection")
    func all() throws {
        let methods = try TestMethods.all
        for service in ServiceDescription.ofGateway {
            for method in service.methods {
                #expect(methods[method.name]?.description == method)
            }
        }
        for name in [
            "grpc.health.v1.Health/Check", "grpc.health.v1.Health/Watch",
            "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
            "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        ] { #expect(methods[name]?.description.name == name) }
        #expect(methods["postern.identity.v1.Accounts/GetAccount"] == nil)
        #expect(methods[""] == nil)
    }

    @Test(
        "an unknown method is refused with the names that were meant (`SimilarMethods`)",
        arguments: [
            ("postern.gateway.v1.Auth/signout", "Did you mean /postern.gateway.v1.Auth/SignOut?"),
            ("Auth/SignOut", "Did you mean /postern.gateway.v1.Auth/SignOut?"),
            ("", "Paths are /package.Service/Method"), ("a/b", "Paths are /package.Service/Method"),
            // No app may call it.
            ("Auth/LookUpAccount", "Paths are /package.Service/Method"),
            ("Health/check", "Did you mean /grpc.health.v1.Health/Check?"),
            ("Auth/SignUp", "Did you mean /postern.gateway.v1.Auth/SignUpWithPassword?"),
            (
                "postern.gateway.v1.Auth/SignIn",
                "Did you mean /postern.gateway.v1.Auth/SignInWithPassword or /"
            ),
            (
                "postern.gateway.v1.Auth/RefreshSesion",
                "Did you mean /postern.gateway.v1.Auth/RefreshSession?"
            ),
            (String(repeating: "SignOut", count: 1_000), "Paths are /package.Service/Method"),
        ])
    func unknown(name: String, hint: String) throws {
        let failure = try TestMethods.all.unknown(name)
        #expect(failure.status == .notFound)
        #expect(failure.error.status == .unimplemented)
        #expect(failure.message.contains(hint))
    }

    @Test("only a method without side effects, session and secrets is called by GET")
    func get() throws {
        let methods = try TestMethods.all
        let names = ServiceDescription.ofGateway.flatMap(\.methods).map(\.name)
        #expect(
            names.filter { methods[$0]?.allowsGet == true }
                == [
                    "postern.gateway.v1.SignInOptions/GetSignInOptions",
                    "postern.gateway.v1.Verification/GetKeySet",
                ])
    }

    @Test("JSON is packed with unknown fields ignored, and an empty body is an empty message")
    func packed() throws {
        let method = try #require(try TestMethods.all["postern.gateway.v1.Auth/CheckAuthState"])
        let json = ByteBuffer(string: #"{"newer":{"a":[1]}}"#)
        #expect(try method.packedRequest(json, .json) == [])
        #expect(try method.packedRequest(ByteBuffer(), .json) == [])
        #expect(try method.packedRequest(ByteBuffer(bytes: [8, 1]), .proto) == [8, 1])
    }

    @Test("a body with a password is wiped")
    func wiped() throws {
        let method = try #require(try TestMethods.all["postern.gateway.v1.Auth/SignInWithPassword"])
        let body = ByteBuffer(string: #"{"email":"a@example.com","password":"correct horse"}"#)
        let packed = try method.packedRequest(body, .json)
        #expect(packed.count > 20)
        #expect(body.readableBytesView.allSatisfy { $0 == 0 })
    }

    @Test("health follows whether the program serves, and knows its services")
    func health() throws {
        for isServing in [true, false] {
            let methods = try CallMethods(isServing: { isServing }, time: ManualTime())
            let check = try #require(methods["grpc.health.v1.Health/Check"])
            guard case .unary(let answer) = check.target else {
                Issue.record("Check is answered here")
                return
            }
            for service in ["", "grpc.health.v1.Health", "postern.gateway.v1.Auth"] {
                let request = try check.packedRequest(
                    ByteBuffer(string: #"{"service":"\#(service)"}"#), .json)
                let response = try check.response(answer(request), .json)
                #expect(
                    String(decoding: response, as: UTF8.self)
                        == #"{"status":"\#(isServing ? "SERVING" : "NOT_SERVING")"}"#)
            }
            // service = 1, "x"
            let failure = #expect(throws: CallFailure.self) { try answer([10, 1, 120]) }
            #expect(failure?.error.status == .notFound)
            #expect(throws: MessageError.self) { try answer([10]) }
        }
    }
}
