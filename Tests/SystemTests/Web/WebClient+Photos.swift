import Foundation
import RPC
import TestSupport

/// Photos by plain HTTP.
extension WebClient {
    /// A response with a photo, or without.
    struct PhotoResponse {
        let status: Int
        /// The fields, by their names in lower case.
        let fields: [String: String]
        let bytes: [UInt8]
    }

    /// What `PUT /v1/photo` returns.
    struct UploadedPhoto: Decodable {
        let name: String
        let url: String
        let contentType: String
        let width: Int
        let height: Int
        let bytes: Int
    }

    /// `PUT /v1/photo` in the session of a context.
    func putPhoto(_ photo: [UInt8], _ context: CallContext) async throws -> Response {
        let folder = try TemporaryFolder()
        let file = folder.file("photo")
        try Data(photo).write(to: URL(filePath: file))
        return try await curl(
            "/v1/photo",
            options(context) + [
                "--header", "expect:", "--header", "content-type: image/jpeg", "--upload-file",
                file,
            ])
    }

    /// `GET` of a photo's URL, at this web service: the URL may have another port, which it is set
    /// to be reached at.
    /// - Parameter tag: the entity tag of what the client has.
    func photo(
        _ url: String, _ context: CallContext, ifNoneMatch tag: String? = nil
    ) async throws -> PhotoResponse {
        guard let path = url.firstRange(of: "/v1/photos/") else {
            throw ClusterError(message: "no URL of a photo: \(url)")
        }
        let folder = try TemporaryFolder()
        let (body, head) = (folder.file("body"), folder.file("head"))
        let condition = tag.map { ["--header", "if-none-match: \($0)"] } ?? []
        let response = try await curl(
            String(url[path.lowerBound...]),
            options(context) + condition + ["--output", body, "--dump-header", head])
        let lines = try String(contentsOfFile: head, encoding: .utf8).split(separator: "\r\n")
        let fields = lines.compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (line[..<colon].lowercased(), String(value))
        }
        // A response without a body leaves no file.
        let bytes = (try? Data(contentsOf: URL(filePath: body))) ?? Data()
        return PhotoResponse(
            status: response.status, fields: Dictionary(fields) { $1 }, bytes: Array(bytes))
    }
}
