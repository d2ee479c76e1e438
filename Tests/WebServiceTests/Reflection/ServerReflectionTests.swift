import Contracts
import Messages
import RPC
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Reflection for gRPC's tools")
struct ServerReflectionTests {
    private static let request = "grpc.reflection.v1.ServerReflectionRequest"
    private static let response = "grpc.reflection.v1.ServerReflectionResponse"

    private let schema: Schema
    private let reflection: ServerReflection

    init() throws {
        schema = try Schema(fileDescriptorSet: ServerReflection.files)
        reflection = try ServerReflection(
            services: ["postern.gateway.v1.Auth", "a.B"],
            fileDescriptorSets: [AuthDescription.service.fileDescriptorSet, ServerReflection.files])
    }

    /// The response to a request in JSON, as JSON.
    private func answer(_ json: String) throws -> String {
        let request = try #require(schema.message(named: Self.request)).encodeJSON(json)
        return try #require(schema.message(named: Self.response))
            .decodeToJSON(try reflection.answer(request))
    }

    /// The names of the files in the response to a packed request.
    private func files(_ json: String) throws -> [String] {
        let request = try #require(schema.message(named: Self.request)).encodeJSON(json)
        var names: [String] = []
        var response = FieldScanner(try reflection.answer(request)[...])
        while let field = try response.next() {
            guard field.number == 4, var files = field.value.fields else { continue }
            while let file = try files.next() {
                var fields = try #require(file.value.fields)
                while let field = try fields.next() {
                    if field.number == 1 { names.append(field.value.text ?? "") }
                }
            }
        }
        return names
    }

    @Test("the services are listed in order, with the request")
    func services() throws {
        #expect(
            try answer(#"{"host":"h","listServices":"*"}"#)
                == #"{"validHost":"h","originalRequest":{"host":"h","listServices":"*"},"#
                + #""listServicesResponse":{"service":[{"name":"a.B"},"#
                + #"{"name":"postern.gateway.v1.Auth"}]}}"#)
    }

    @Test("a file comes with those that it imports, by its name and by what it declares")
    func filesOfSymbols() throws {
        let expected = ["gateway", "account", "consents"].map { "postern/gateway/v1/\($0).proto" }
        #expect(try files(#"{"fileByFilename":"postern/gateway/v1/gateway.proto"}"#) == expected)
        for symbol in [
            "Auth", "Auth.SignOut", "SignOutRequest", "SignInWithPasswordRequest.password",
        ] {
            let name = "postern.gateway.v1.\(symbol)"
            #expect(try files(#"{"fileContainingSymbol":"\#(name)"}"#) == expected, "\(symbol)")
        }
        #expect(
            try files(#"{"fileContainingSymbol":"grpc.reflection.v1alpha.ServerReflection"}"#)
                == ["grpc/reflection/v1alpha/reflection.proto"])
    }

    @Test("what is not found is an error of the response, not of the stream")
    func notFound() throws {
        for request in [
            #"{"fileByFilename":"x.proto"}"#, #"{"fileContainingSymbol":"postern.gateway.v1.X"}"#,
        ] {
            #expect(try answer(request).contains(#""errorResponse":{"errorCode":5,"#))
        }
        #expect(
            try answer(#"{"allExtensionNumbersOfType":"x"}"#)
                .contains(#""errorResponse":{"errorCode":12,"#))
        #expect(try answer("{}").contains(#""errorResponse":{"errorCode":3,"#))
    }

    @Test("broken bytes are no request, and broken descriptors no index")
    func broken() {
        #expect(throws: MessageError.self) { try reflection.answer([26, 9]) }
        #expect(throws: MessageError.self) { try DescriptorIndex([[10, 9]]) }
    }
}
