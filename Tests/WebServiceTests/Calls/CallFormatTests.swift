import Testing

@testable import WebService

@Suite("Formats of calls, by content type")
struct CallFormatTests {
    @Test(
        "a content type names a protocol and a codec",
        arguments: [
            ("application/json", CallFormat(.connectUnary, .json)),
            ("application/json; charset=utf-8", CallFormat(.connectUnary, .json)),
            ("Application/JSON ;x=y", CallFormat(.connectUnary, .json)),
            ("application/proto", CallFormat(.connectUnary, .proto)),
            ("application/connect+json", CallFormat(.connectStream, .json)),
            ("application/connect+proto", CallFormat(.connectStream, .proto)),
            ("application/grpc", CallFormat(.grpc, .proto)),
            ("application/grpc+proto", CallFormat(.grpc, .proto)),
            ("application/grpc+json", CallFormat(.grpc, .json)),
            ("application/grpc-web", CallFormat(.grpcWeb, .proto)),
            ("application/grpc-web+proto", CallFormat(.grpcWeb, .proto)),
            ("application/grpc-web+json", CallFormat(.grpcWeb, .json)),
            ("application/grpc-web-text", CallFormat(.grpcWebText, .proto)),
            ("application/grpc-web-text+proto", CallFormat(.grpcWebText, .proto)),
        ])
    func known(type: String, format: CallFormat) {
        #expect(CallFormat(contentType: type) == format)
    }

    @Test(
        "any other content type names none",
        arguments: [
            "", ";", "json", "text/json", "application/", "application/xml", "application/connect",
            "application/connect+xml", "application/grpc+", "application/grpc-web-texts",
            "application/x-www-form-urlencoded", "application/jsonx",
        ])
    func unknown(type: String) {
        #expect(CallFormat(contentType: type) == nil)
    }

    @Test("a response's content type names the same format")
    func response() {
        for framing in CallFormat.Framing.allCases {
            for codec in CallFormat.Codec.allCases {
                let format = CallFormat(framing, codec)
                #expect(CallFormat(contentType: format.contentType) == format)
            }
        }
    }

    @Test("a method is called in the formats of its kind, which are those that are listed")
    func fits() {
        for isStream in [false, true] {
            let listed = CallFormat.contentTypes(isStream: isStream)
            for framing in CallFormat.Framing.allCases {
                let format = CallFormat(framing, .json)
                #expect(format.fits(isStream: isStream) == listed.contains(format.contentType))
            }
        }
        #expect(
            CallFormat.contentTypes(isStream: false).prefix(2)
                == ["application/json", "application/proto"])
    }
}
