// gRPC C++ as a peer: one thread on one completion queue, which is its fastest mode on one core.
//
//     echo_server        prints its port, then runs until it is killed

#include "echo.grpc.pb.h"
#include <cstdio>
#include <grpcpp/grpcpp.h>
#include <memory>
#include <string>

namespace {

using postern::benchmark::v1::Echo;
using postern::benchmark::v1::EchoRequest;
using postern::benchmark::v1::EchoResponse;

constexpr size_t kTokenBytes = 110;
// Calls that wait to be received: at least as many as the load has in flight.
constexpr int kCallsWaiting = 1024;

EchoResponse MakeAnswer() {
    EchoResponse answer;
    answer.mutable_session()->set_session_id("ses_0123456789abcdefghjkmnpqr");
    answer.mutable_session()->set_access_token("acc_0123456789abcdefghjkmnpqr");
    answer.mutable_session()->set_access_expires_at_ms(1700000900000);
    answer.mutable_session()->set_idle_expires_at_ms(1700604800000);
    return answer;
}

// A call from its registration to its response; then another one takes its place.
class Call {
public:
    Call(Echo::AsyncService &service, grpc::ServerCompletionQueue &queue)
        : service_(service), queue_(queue), responder_(&context_) {
        service_.RequestCall(&context_, &request_, &responder_, &queue_, &queue_, this);
    }

    void Proceed(bool is_ok, const EchoResponse &answer) {
        if (is_answered_ || !is_ok) {
            delete this;
            return;
        }
        new Call(service_, queue_);
        is_answered_ = true;
        bool is_known = request_.refresh_token().size() == kTokenBytes;
        if (is_known)
            responder_.Finish(answer, grpc::Status::OK, this);
        else
            responder_.FinishWithError(
                {grpc::StatusCode::INVALID_ARGUMENT, "not the benchmark's request"}, this);
    }

private:
    Echo::AsyncService &service_;
    grpc::ServerCompletionQueue &queue_;
    grpc::ServerContext context_;
    EchoRequest request_;
    grpc::ServerAsyncResponseWriter<EchoResponse> responder_;
    bool is_answered_ = false;
};

} // namespace

int main() {
    Echo::AsyncService service;
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service);
    auto queue = builder.AddCompletionQueue();
    auto server = builder.BuildAndStart();
    if (!server) return 1;
    std::printf("%d\n", port);
    std::fflush(stdout);

    const EchoResponse answer = MakeAnswer();
    for (int i = 0; i < kCallsWaiting; i++) new Call(service, *queue);
    void *tag;
    bool is_ok;
    while (queue->Next(&tag, &is_ok)) static_cast<Call *>(tag)->Proceed(is_ok, answer);
}
