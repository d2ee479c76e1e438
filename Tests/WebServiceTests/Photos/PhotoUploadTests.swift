import JSON
import Testing

@testable import WebService

@Suite("G-17: a photo is uploaded by PUT", .timeLimit(.minutes(1)))
struct PhotoUploadTests {
    private static let photo = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    private func code(_ response: HTTP1Response) -> String? {
        JSONReader.object(in: response.body, depthMax: 8)?["details"]?.array?.first?.object?[
            "debug"]?
            .object?["code"]?.string
    }

    @Test("the body goes to the gateway in items of at most 64 KiB; the answer is the photo")
    func uploaded() async throws {
        try await PhotosFixture.run { photos in
            let response = try await photos.put(Self.photo, ["idempotency-key": "0123456789abcdef"])
            #expect(response.status == 200)
            #expect(response.fields["content-type"] == "application/json")
            #expect(response.fields["cache-control"] == "no-store")
            let url = "https://auth.example.org/v1/photos/new_photo-1"
            #expect(
                JSONReader.object(in: response.body)
                    == [
                        "name": .string("new_photo-1"), "url": .string(url),
                        "contentType": .string("image/jpeg"), "width": .integer(3),
                        "height": .integer(2), "bytes": .integer(200_000),
                        "uploadedAtMs": .string("7"),
                    ])
            #expect(photos.profile.bytes == Self.photo)
            #expect(photos.profile.largestItem <= 64 * 1024)
            #expect(photos.profile.metadata("client-address") == "127.0.0.1")
            #expect(photos.profile.metadata("app") == "blog")
            #expect(photos.profile.metadata("idempotency-key") == nil)
        }
    }

    @Test("errors have the form of a call's, with the rule that the photo breaks")
    func refused() async throws {
        try await PhotosFixture.run { photos in
            // The body is not sent: the gateway judges by the length.
            let large = try await photos.put([], ["content-length": "6000000"])
            #expect(large.status == 400)
            #expect(code(large) == "auth/invalid-photo")
            #expect(large.text.contains("photo-bytes"))
            let huge = try await photos.put([], ["content-length": "6000000000"])
            #expect(code(huge) == "auth/invalid-photo")
            let signedOut = try await photos.put([1, 2, 3], ["authorization": nil])
            #expect(signedOut.status == 401)
            #expect(code(signedOut) == "auth/invalid-access-token")
            #expect(signedOut.fields["www-authenticate"] == "Bearer")
            let anonymous = try await photos.put([1, 2, 3], ["x-postern-app": nil])
            #expect(anonymous.status == 401)
            #expect(code(anonymous) == "rpc/unauthenticated")
            let restricted = try await photos.put(
                [1, 2, 3], ["x-postern-app": AppsFixture.phoneKey])
            #expect(restricted.status == 403)
        }
    }

    @Test("a body of unknown length is refused with 411, and another method with 405")
    func malformed() async throws {
        try await PhotosFixture.run { photos in
            let chunked = try await photos.put(
                Array("0\r\n\r\n".utf8), ["content-length": nil, "transfer-encoding": "chunked"])
            #expect(chunked.status == 411)
            #expect(code(chunked) == "rpc/invalid-argument")
            for method in ["GET", "DELETE"] {
                let response = try await photos.send(method, "/v1/photo")
                #expect(response.status == 405)
                #expect(response.fields["allow"] == "PUT")
            }
        }
    }

    @Test("the page of an app may read the answer and the error; another page gets an error only")
    func pages() async throws {
        try await PhotosFixture.run { photos in
            let origin = "https://blog.example.org"
            let own = try await photos.put(Self.photo, ["origin": origin])
            #expect(own.status == 200)
            #expect(own.fields["access-control-allow-origin"] == origin)
            let foreign = try await photos.put([1, 2, 3], ["origin": "https://evil.example"])
            #expect(foreign.status == 403)
            #expect(foreign.fields["access-control-allow-origin"] == nil)
        }
    }
}
