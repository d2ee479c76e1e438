import ServiceRuntime
import TestSupport
import Testing

@testable import postern

@Suite("The folder of `postern up`")
struct DataFolderTests {
    @Test("endpoints.json has the web service's URL with its scheme", arguments: ["http", "https"])
    func webURL(scheme: String) throws {
        let temporary = try TemporaryFolder()
        let folder = try DataFolder(temporary.file("postern"))
        try folder.writeEndpoints([("web", 7480, 7490)], webScheme: scheme, appKey: "pk_1")
        let text = String(
            decoding: try TextFile.read("\(folder.path)/endpoints.json"), as: UTF8.self)
        let web = #""web": {"url": "\#(scheme)://127.0.0.1:7480", "app_key": "pk_1"}"#
        #expect(text.contains(web))
    }
}
