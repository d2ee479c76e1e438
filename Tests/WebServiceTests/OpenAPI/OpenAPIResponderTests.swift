import Contracts
import Foundation
import JSON
import RPC
import Testing

@testable import WebService

@Suite("openapi.json")
struct OpenAPIResponderTests {
    @Test("it is the file that Protos/generate.sh writes, byte for byte")
    func bytes() throws {
        let file = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(
                path: "../../../Sources/COpenAPI/Generated/openapi.json")
        #expect(try Data(contentsOf: file) == Data(OpenAPIResponder.text))
    }

    @Test("it is JSON with the gateway's public methods, and with no other")
    func methods() throws {
        let bytes = Array(OpenAPIResponder.text)
        let document = try #require(
            JSONReader.object(in: bytes, depthMax: 32, membersMax: 1_000))
        let paths = Set(try #require(document["paths"]?.object).members.map(\.name))
        for method in ServiceDescription.ofGateway.flatMap(\.methods) {
            let isListed = method.isPublic && method.streams == .none
            #expect(paths.contains("/\(method.name)") == isListed, "\(method.name)")
        }
        #expect(
            paths.isSuperset(of: [
                "/v1/guest-bundle", "/v1/photo", "/v1/photos/{name}", "/v1/exports/{exportId}",
            ]))
    }
}
